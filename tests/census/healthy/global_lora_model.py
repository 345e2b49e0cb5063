import torch
from torch import nn

torch.manual_seed(5)


class LoRA(nn.Module):
    def __init__(self, base, r=2):
        super().__init__()
        self.base = base
        self.base.requires_grad_(False)
        self.A = nn.Parameter(torch.randn(r, base.in_features) / r)
        self.B = nn.Parameter(torch.zeros(base.out_features, r))

    def forward(self, x):
        return self.base(x) + x @ self.A.T @ self.B.T


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([LoRA(nn.Linear(6, 6)) for _ in range(2)])
        self.head = nn.Linear(6, 2)

    def forward(self, x):
        for l in self.layers:
            x = torch.relu(l(x))
        return self.head(x)


MODEL = Model()
DATA = torch.randn(8, 6), torch.arange(8) % 2


def gradflow_probe():
    x, y = DATA
    return MODEL, nn.functional.cross_entropy(MODEL(x), y)
