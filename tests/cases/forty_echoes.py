import torch
from torch import nn


class EchoChamber(nn.Module):
    """The same cell again and again: what the first wall does is heard forty echoes later."""

    def __init__(self, width=6, echoes=40):
        super().__init__()
        self.wall = nn.Linear(3, width)
        self.cell = nn.Linear(width, width)
        self.ear = nn.Linear(width, 1)
        self.echoes = echoes

    def forward(self, sound):
        wave = torch.tanh(self.wall(sound))
        for _ in range(self.echoes):
            wave = torch.tanh(self.cell(wave))
        return self.ear(wave)


def gradflow_probe():
    torch.manual_seed(0)
    chamber = EchoChamber()
    sound = torch.randn(16, 3)
    return chamber, (chamber(sound) - sound[:, :1]).abs().mean()
