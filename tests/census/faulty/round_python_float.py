import torch
from torch import nn


class Pruned(nn.Module):
    def __init__(self):
        super().__init__()
        self.threshold = nn.Parameter(torch.tensor(0.123))
        self.lin = nn.Linear(6, 6)
        self.out = nn.Linear(6, 1)

    def forward(self, x):
        t = round(float(self.threshold), 2)
        h = self.lin(x)
        h = torch.sign(h).detach() * torch.relu(h.abs() - t)
        return self.out(h)


def gradflow_probe():
    torch.manual_seed(0)
    p = Pruned()
    x = torch.randn(12, 6)
    return p, nn.functional.mse_loss(p(x), x[:, :1])
