import torch
from torch import nn


class Correction(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.scale = nn.Parameter(torch.zeros(dim))
        self.mix = nn.Linear(dim, dim, bias=False)
        nn.init.constant_(self.mix.weight, 0.0)

    def forward(self, x):
        return self.mix(x) * self.scale


class Forecaster(nn.Module):
    def __init__(self, dim=6):
        super().__init__()
        self.base = nn.Linear(dim, dim)
        self.correction = Correction(dim)

    def forward(self, x):
        y = self.base(x)
        return y + self.correction(torch.sin(y))


def gradflow_probe():
    torch.manual_seed(0)
    model = Forecaster()
    x = torch.randn(16, 6)
    return model, nn.functional.mse_loss(model(x), x.roll(1, dims=1))
