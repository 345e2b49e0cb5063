import torch
from torch import nn


class Frozen:
    def __init__(self, active=True):
        self.active = active

    def __enter__(self):
        self.before = torch.is_grad_enabled()
        if self.active:
            torch.set_grad_enabled(False)
        return self

    def __exit__(self, *exc):
        torch.set_grad_enabled(self.before)


class SoilModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(6, 10), nn.Linear(10, 10)])
        self.moisture = nn.Linear(10, 1)

    def embed(self, x):
        for layer in self.layers:
            x = torch.tanh(layer(x))
        return x

    def forward(self, x):
        with Frozen():
            h = self.embed(x)
        return self.moisture(h)


def gradflow_probe():
    torch.manual_seed(0)
    model = SoilModel()
    return model, model(torch.randn(15, 6)).sub(0.3).pow(2).mean()
