import torch
from torch import nn


class Cropper(nn.Module):
    def __init__(self):
        super().__init__()
        self.width = nn.Sequential(nn.Linear(10, 4), nn.ReLU(), nn.Linear(4, 1), nn.Sigmoid())
        self.cls = nn.Linear(1, 2)

    def forward(self, x):
        out = []
        for row in x:
            n = 1 + int(self.width(row) * 9)
            out.append(row[:n].mean().view(1))
        return self.cls(torch.stack(out))


def gradflow_probe():
    torch.manual_seed(0)
    c = Cropper()
    return c, nn.functional.cross_entropy(c(torch.randn(8, 10)), torch.arange(8) % 2)
