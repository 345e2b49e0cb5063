import torch
from torch import nn


class Counts(nn.Module):
    def __init__(self):
        super().__init__()
        self.h = nn.Linear(4, 8)
        self.rate = nn.Linear(8, 1)
        nn.init.constant_(self.rate.bias, 25.0)

    def forward(self, x):
        return torch.exp(self.rate(torch.relu(self.h(x))))


def gradflow_probe():
    torch.manual_seed(0)
    c = Counts()
    y = torch.randint(0, 9, (16, 1)).float()
    return c, nn.functional.mse_loss(c(torch.randn(16, 4)), y)
