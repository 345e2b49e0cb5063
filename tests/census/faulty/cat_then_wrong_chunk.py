import torch
from torch import nn


class TwoBranch(nn.Module):
    def __init__(self):
        super().__init__()
        self.local = nn.Conv1d(1, 4, 3, padding=1)
        self.wide = nn.Conv1d(1, 4, 9, padding=4)
        self.act = nn.LeakyReLU(0.1)
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        h = torch.cat([self.local(x), self.wide(x)], dim=1)
        h = self.act(h) * 0.5
        left, right = h.chunk(2, dim=1)
        return self.head((left + left).mean(-1))


def gradflow_probe():
    torch.manual_seed(0)
    net = TwoBranch()
    return net, nn.functional.cross_entropy(net(torch.randn(6, 1, 15)), torch.arange(6) % 2)
