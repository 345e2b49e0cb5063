import torch
from torch import nn


class Sensor(nn.Module):
    def __init__(self, h=8):
        super().__init__()
        self.rnn = nn.RNN(3, h, nonlinearity="relu", batch_first=True)
        self.out = nn.Linear(h, 1)
        for name, p in self.rnn.named_parameters():
            if "weight_hh" in name:
                nn.init.eye_(p)
                p.data.mul_(2.0)

    def forward(self, x):
        return self.out(self.rnn(x)[0][:, -1])


def gradflow_probe():
    torch.manual_seed(0)
    s = Sensor()
    x = torch.rand(4, 60, 3)
    return s, (s(x) - x.sum((1, 2))[:, None]).abs().mean()
