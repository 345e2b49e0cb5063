import torch
from torch import nn


class Enc(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 6)

    def forward(self, x):
        return torch.relu(self.l(x))


class Comp(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = torch.compile(Enc(), backend="eager")
        self.out = nn.Linear(6, 2)

    def forward(self, x):
        return self.out(self.enc(x).detach())


def gradflow_probe():
    torch.manual_seed(0)
    c = Comp()
    return c, nn.functional.cross_entropy(c(torch.randn(6, 4)), torch.arange(6) % 2)
