import itertools
import torch
from torch import nn

STEP = itertools.count()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp = nn.Linear(5, 8)
        self.branch = nn.Linear(8, 8)
        self.gate = nn.Parameter(torch.zeros(1))
        self.out = nn.Linear(8, 2)

    def forward(self, x):
        h = torch.tanh(self.inp(x))
        return self.out(h + self.gate * self.branch(h))


def gradflow_probe():
    torch.manual_seed(0)
    net = Net()
    step = next(STEP)
    lr = 1e-3 * min(1.0, (step + 1) / 100)
    x = torch.randn(10, 5)
    return net, nn.functional.cross_entropy(net(x), (x[:, 0] > 0).long())
