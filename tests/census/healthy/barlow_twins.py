import torch
from torch import nn


class Barlow(nn.Module):
    def __init__(self, lambd=5e-3, sizes=(6, 16, 12)):
        super().__init__()
        layers = []
        for i in range(len(sizes) - 2):
            layers.append(nn.Linear(sizes[i], sizes[i + 1]))
            layers.append(nn.BatchNorm1d(sizes[i + 1]))
            layers.append(nn.ReLU(inplace=True))
        layers.append(nn.Linear(sizes[-2], sizes[-1]))
        self.proj = nn.Sequential(*layers)
        self.bn = nn.BatchNorm1d(sizes[-1], affine=False)
        self.lambd = lambd

    def forward(self, y1, y2):
        c = self.bn(self.proj(y1)).T @ self.bn(self.proj(y2)) / len(y1)
        on = torch.diagonal(c).add(-1).pow(2).sum()
        off = c.pow(2).sum() - torch.diagonal(c).pow(2).sum()
        return on + self.lambd * off


def gradflow_probe():
    torch.manual_seed(0)
    x = torch.randn(24, 6)
    model = Barlow()
    return model, model(x + 0.3 * torch.randn_like(x), x + 0.3 * torch.randn_like(x))
