import torch
from torch import nn
import torch.nn.functional as F


class SimCLR(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(10, 16), nn.ReLU())
        self.projector = nn.Sequential(nn.Linear(16, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 8, bias=False))

    def forward(self, x):
        return F.normalize(self.projector(self.f(x)), dim=1)


def nt_xent(z, t=0.5):
    n = z.size(0) // 2
    sim = z @ z.t() / t
    sim.fill_diagonal_(float("-inf"))
    target = torch.cat([torch.arange(n, 2 * n), torch.arange(n)])
    return F.cross_entropy(sim, target)


def gradflow_probe():
    torch.manual_seed(0)
    net = SimCLR()
    x = torch.randn(12, 10)
    views = torch.cat([x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x)])
    return net, nt_xent(net(views))
