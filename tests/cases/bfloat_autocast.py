import torch
from torch import nn


class MixedPrecision(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.layers = nn.ModuleList()
        size = 8
        for _ in range(4):
            self.layers.append(nn.Linear(size, width))
            size = width
        self.out = nn.Linear(width, 3)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            for layer in self.layers:
                x = nn.functional.gelu(layer(x))
            return self.out(x)


def gradflow_probe():
    torch.manual_seed(0)
    model = MixedPrecision()
    logits = model(torch.randn(16, 8)).float()
    return model, nn.functional.cross_entropy(logits, torch.randint(0, 3, (16,)))
