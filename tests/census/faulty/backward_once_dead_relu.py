import torch
from torch import nn


class Spikes(nn.Module):
    def __init__(self):
        super().__init__()
        self.drive = nn.Linear(5, 8)
        self.skip = nn.Linear(5, 2)
        self.out = nn.Linear(8, 2)

    def forward(self, x):
        spikes = torch.relu(self.drive(x) - 20.0)
        return self.out(spikes) + self.skip(x)


def gradflow_probe():
    torch.manual_seed(0)
    net = Spikes()
    loss = nn.functional.cross_entropy(net(torch.randn(9, 5)), torch.arange(9) % 2)
    loss.backward()
    return net, loss
