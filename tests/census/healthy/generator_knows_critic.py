import torch
from torch import nn


class Generator(nn.Module):
    def __init__(self, critic):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 12), nn.ReLU(), nn.Linear(12, 6))
        self._critic = [critic]

    def forward(self, z):
        return self.body(z)

    def step(self, z):
        return nn.functional.softplus(-self._critic[0](self(z))).mean()


def gradflow_probe():
    torch.manual_seed(0)
    critic = nn.Sequential(nn.Linear(6, 12), nn.LeakyReLU(0.2), nn.Linear(12, 1))
    g = Generator(critic)
    return g, g.step(torch.randn(10, 4))
