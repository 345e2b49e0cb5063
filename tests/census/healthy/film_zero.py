import torch
from torch import nn


class FiLM(nn.Module):
    def __init__(self, c, e):
        super().__init__()
        self.gen = nn.Linear(e, 2 * c)
        self.gen.weight.data *= 0
        self.gen.bias.data *= 0

    def forward(self, x, e):
        g, b = self.gen(e).chunk(2, -1)
        return x * (1 + g[..., None]) + b[..., None]


class Wave(nn.Module):
    def __init__(self, c=8, e=6):
        super().__init__()
        self.cond = nn.Sequential(nn.Embedding(5, e), nn.Linear(e, e), nn.ReLU())
        self.convs = nn.ModuleList([nn.Conv1d(1 if i == 0 else c, c, 3, padding=1) for i in range(2)])
        self.films = nn.ModuleList([FiLM(c, e) for _ in range(2)])
        self.out = nn.Conv1d(c, 1, 1)

    def forward(self, x, speaker):
        e = self.cond(speaker)
        for conv, film in zip(self.convs, self.films):
            x = torch.tanh(film(conv(x), e))
        return self.out(x)


def gradflow_probe():
    torch.manual_seed(0)
    m = Wave()
    x = torch.randn(4, 1, 20)
    return m, (m(x, torch.tensor([0, 1, 2, 4])) - x.roll(1, -1)).abs().mean()
