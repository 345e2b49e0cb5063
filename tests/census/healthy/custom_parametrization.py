import torch
from torch import nn
from torch.nn.utils import parametrize
from torch.nn.utils.parametrizations import orthogonal


class Symmetric(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).transpose(-1, -2)


class Positive(nn.Module):
    def forward(self, x):
        return nn.functional.softplus(x)

    def right_inverse(self, y):
        return torch.log(torch.expm1(y.abs() + 1e-4))


class Hamiltonian(nn.Module):
    def __init__(self, n=5, h=8):
        super().__init__()
        self.enc = orthogonal(nn.Linear(n, h, bias=False))
        self.H = nn.Linear(h, h)
        parametrize.register_parametrization(self.H, "weight", Symmetric())
        self.out = nn.Linear(h, 1)
        parametrize.register_parametrization(self.out, "weight", Positive())

    def forward(self, x):
        z = self.enc(x)
        return self.out(torch.tanh(self.H(z)) + z)


def gradflow_probe():
    torch.manual_seed(0)
    m = Hamiltonian()
    x = torch.randn(16, 5)
    with parametrize.cached():
        loss = (m(x).squeeze(1) - x.norm(dim=1)).pow(2).mean()
    return m, loss
