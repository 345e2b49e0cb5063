import torch
from torch import nn


class Field(nn.Module):
    def __init__(self, L=4, h=24):
        super().__init__()
        self.L = L
        self.trunk = nn.Sequential(nn.Linear(3 + 6 * L, h), nn.ReLU(), nn.Linear(h, h), nn.ReLU())
        self.sigma = nn.Linear(h, 1)
        self.rgb = nn.Sequential(nn.Linear(h + 3, h), nn.ReLU(), nn.Linear(h, 3), nn.Sigmoid())

    def encode(self, x):
        f = 2.0 ** torch.arange(self.L) * torch.pi
        a = (x[..., None] * f).flatten(-2)
        return torch.cat([x, a.sin(), a.cos()], -1)

    def forward(self, x, d):
        h = self.trunk(self.encode(x))
        return torch.relu(self.sigma(h)).squeeze(-1), self.rgb(torch.cat([h, d], -1))


def render(field, o, d, n=12, near=0.5, far=2.5):
    t = torch.linspace(near, far, n) + torch.rand(len(o), n) * (far - near) / n
    pts = o[:, None] + t[..., None] * d[:, None]
    sigma, rgb = field(pts, d[:, None].expand_as(pts))
    delta = torch.cat([t[:, 1:] - t[:, :-1], torch.full((len(o), 1), 1e10)], 1)
    alpha = 1 - torch.exp(-sigma * delta)
    trans = torch.cumprod(torch.cat([torch.ones(len(o), 1), 1 - alpha + 1e-10], 1), 1)[:, :-1]
    return ((alpha * trans)[..., None] * rgb).sum(1)


def gradflow_probe():
    torch.manual_seed(0)
    f = Field()
    o, d = torch.zeros(32, 3), torch.nn.functional.normalize(torch.randn(32, 3), dim=1)
    return f, nn.functional.mse_loss(render(f, o, d), torch.rand(32, 3))
