import torch
from torch import nn


class Grad(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(4, 6)
        self.pot = nn.Sequential(nn.Linear(6, 8), nn.Softplus(), nn.Linear(8, 1))

    def forward(self, x):
        z = self.enc(x).detach().requires_grad_()
        e = self.pot(z).sum()
        (force,) = torch.autograd.grad(e, z, create_graph=True)
        return e, force


def gradflow_probe():
    torch.manual_seed(0)
    g = Grad()
    e, f = g(torch.randn(7, 4))
    return g, e.pow(2) * 1e-3 + f.pow(2).mean()
