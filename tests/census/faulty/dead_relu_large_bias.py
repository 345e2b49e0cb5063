import torch
from torch import nn


class Sales(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(6, 12)
        self.b = nn.Linear(12, 12)
        self.c = nn.Linear(12, 1)
        nn.init.constant_(self.b.bias, -20.0)

    def forward(self, x):
        x = torch.relu(self.a(x))
        x = torch.relu(self.b(x))
        return self.c(x)


def gradflow_probe():
    torch.manual_seed(0)
    m = Sales()
    x = torch.randn(16, 6)
    return m, nn.functional.mse_loss(m(x), x.sum(1, keepdim=True))
