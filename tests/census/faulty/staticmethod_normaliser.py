import contextlib

import torch
from torch import nn


def standardise(t, train):
    ctx = torch.no_grad() if not train else contextlib.nullcontext()
    with ctx:
        mu = t.mean(0, keepdim=True)
        sd = t.std(0, keepdim=True) + 1e-5
        return (t - mu) / sd


class Surrogate(nn.Module):
    def __init__(self):
        super().__init__()
        self.lift = nn.Linear(4, 12)
        self.act = nn.Softplus()
        self.drop = nn.Linear(12, 1)

    def forward(self, x):
        z = standardise(self.lift(x), train=False)
        return self.drop(self.act(z))


def gradflow_probe():
    torch.manual_seed(0)
    s = Surrogate()
    x = torch.rand(22, 4)
    return s, nn.functional.mse_loss(s(x), x.prod(1, keepdim=True))
