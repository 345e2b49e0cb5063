import torch
from torch import nn
import torch.nn.utils.parametrize as P


class Symmetric(nn.Module):
    def forward(self, x):
        return x.triu() + x.triu(1).detach().transpose(-1, -2)


class Positive(nn.Module):
    def forward(self, x):
        return x.detach().exp()


class Quad(nn.Module):
    def __init__(self, d=4):
        super().__init__()
        self.inner = nn.Linear(d, d, bias=False)
        P.register_parametrization(self.inner, "weight", Symmetric())
        self.outer = nn.Linear(d, 1, bias=False)
        P.register_parametrization(self.outer, "weight", Positive())

    def forward(self, x):
        return self.outer(x * self.inner(x))


def gradflow_probe():
    torch.manual_seed(0)
    q = Quad()
    x = torch.randn(12, 4)
    return q, nn.functional.mse_loss(q(x), x.pow(2).sum(1, keepdim=True))
