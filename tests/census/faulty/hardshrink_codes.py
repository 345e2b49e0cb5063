import torch
import torch.nn as nn
import torch.nn.functional as F


class SparseCoder(nn.Module):
    def __init__(self, n=25, atoms=40, lam=0.5):
        super().__init__()
        self.encode = nn.Linear(n, atoms)
        self.dictionary = nn.Linear(atoms, n)
        self.lam = lam

    def forward(self, x):
        z = F.hardshrink(0.1 * self.encode(x), self.lam)
        return self.dictionary(z)


def gradflow_probe():
    torch.manual_seed(0)
    m = SparseCoder()
    x = torch.rand(8, 25)
    return m, F.mse_loss(m(x), x)
