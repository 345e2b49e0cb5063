import torch
from torch import nn


class Codebook(nn.Module):
    """Vector quantisation: the nearest code goes on, the gradient goes straight through."""

    def __init__(self, codes=12, dim=4):
        super().__init__()
        self.codes = nn.Embedding(codes, dim)

    def forward(self, z):
        with torch.no_grad():
            nearest = torch.cdist(z, self.codes.weight).argmin(dim=-1)
        code = self.codes(nearest)
        commitment = (z - code.detach()).square().mean()
        codebook = (z.detach() - code).square().mean()
        return z + (code - z).detach(), codebook + 0.25 * commitment


class VQ(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(9, 16), nn.SELU(), nn.Linear(16, 4))
        self.quantise = Codebook()
        self.decode = nn.Sequential(nn.Linear(4, 16), nn.SELU(), nn.Linear(16, 9))

    def forward(self, x):
        code, extra = self.quantise(self.encode(x))
        return self.decode(code), extra


def gradflow_probe():
    torch.manual_seed(0)
    model = VQ()
    x = torch.randn(15, 9)
    rebuilt, extra = model(x)
    return model, nn.functional.mse_loss(rebuilt, x) + extra
