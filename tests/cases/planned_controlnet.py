import torch
from torch import nn


def silent(conv):
    nn.init.zeros_(conv.weight)
    nn.init.zeros_(conv.bias)
    return conv


class Guided(nn.Module):
    def __init__(self, c=4):
        super().__init__()
        self.body = nn.Conv2d(1, c, 3, padding=1)
        self.guide = nn.Sequential(nn.Conv2d(1, c, 3, padding=1), nn.SiLU(), nn.Conv2d(c, c, 3, padding=1), nn.SiLU())
        self.join = silent(nn.Conv2d(c, c, 1))
        self.out = nn.Conv2d(c, 1, 3, padding=1)

    def forward(self, noisy, edges):
        return self.out(torch.relu(self.body(noisy)) + self.join(self.guide(edges)))


def gradflow_probe():
    torch.manual_seed(0)
    model = Guided()
    clean = torch.rand(2, 1, 8, 8)
    return model, (model(clean + 0.1 * torch.randn_like(clean), clean.diff(dim=-1, prepend=clean[..., :1])) - clean).square().mean()
