import torch
from torch import nn


class Valve(nn.Module):
    def __init__(self):
        super().__init__()
        self.ctrl = nn.Linear(3, 4)
        nn.init.constant_(self.ctrl.bias, 14.0)
        self.flow = nn.Linear(3, 4)
        self.out = nn.Linear(4, 1)

    def forward(self, x):
        return self.out(torch.tanh(self.ctrl(x)) * self.flow(x))


def gradflow_probe():
    torch.manual_seed(0)
    v = Valve().double()
    x = torch.randn(14, 3, dtype=torch.float64)
    return v, nn.functional.mse_loss(v(x), x[:, :1])
