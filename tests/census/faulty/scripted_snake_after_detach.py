import torch
from torch import nn


@torch.jit.script
def snake(x, alpha):
    return x + (alpha + 1e-9).reciprocal() * torch.sin(alpha * x).pow(2)


class Snake(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.alpha = nn.Parameter(torch.ones(1, channels, 1))

    def forward(self, x):
        return snake(x, self.alpha)


class Codec(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Conv1d(1, 6, 4, stride=2)
        self.codebook = nn.Embedding(12, 6)
        self.decoder = nn.Sequential(Snake(6), nn.ConvTranspose1d(6, 6, 4, stride=2), Snake(6), nn.Conv1d(6, 1, 1))

    def forward(self, wave):
        z = self.encoder(wave)
        nearest = torch.cdist(z.transpose(1, 2), self.codebook.weight[None]).argmin(-1)
        code = self.codebook(nearest).transpose(1, 2)
        return self.decoder(z + (code - z).detach())


def gradflow_probe():
    torch.manual_seed(0)
    wave = torch.randn(3, 1, 16)
    model = Codec()
    return model, (model(wave) - wave).abs().mean()
