import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Cell(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.pre = nn.Linear(d, d)
        self.post = nn.Linear(d, d)

    def forward(self, x):
        h = torch.tanh(self.pre(x))
        return x + self.post(h.detach())


class Deep(nn.Module):
    def __init__(self, d=8, n=3):
        super().__init__()
        self.inp = nn.Linear(4, d)
        self.cells = nn.ModuleList([Cell(d) for _ in range(n)])
        self.out = nn.Linear(d, 2)

    def forward(self, x):
        x = self.inp(x)
        for c in self.cells:
            x = checkpoint(c, x, use_reentrant=False)
        return self.out(x)


def gradflow_probe():
    torch.manual_seed(0)
    net = Deep()
    return net, nn.functional.cross_entropy(net(torch.randn(6, 4)), torch.arange(6) % 2)
