import torch
from torch import nn


class SignedLog(nn.Module):
    def forward(self, x):
        return torch.where(x > 0, torch.log(x), torch.zeros_like(x))


class Returns(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Linear(9, 9)
        self.f = SignedLog()
        self.out = nn.Linear(9, 1)
        self.bias = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        h = torch.relu(self.mix(x))
        return self.out(self.f(h)) + self.bias


def gradflow_probe():
    torch.manual_seed(0)
    m = Returns()
    x = torch.randn(15, 9)
    return m, nn.functional.l1_loss(m(x), x[:, :1])
