import math

import torch
import torch.nn as nn


def time_features(t, width):
    half = width // 2
    speeds = torch.exp(-math.log(10000.0) / (half - 1) * torch.arange(half, dtype=torch.float32, device=t.device))
    angles = t.float()[:, None] * speeds[None, :]
    return torch.cat([angles.sin(), angles.cos()], dim=1)


class Model(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.ch = config.model.ch
        mults = tuple(config.model.ch_mult)
        self.resolution = config.data.image_size
        self.first = nn.Conv2d(config.model.in_channels, self.ch, 3, padding=1)
        self.time = nn.Linear(self.ch, self.ch * mults[-1])
        self.levels = nn.ModuleList()
        width, resolution = self.ch, self.resolution
        for mult in mults:
            level = nn.Module()
            level.conv = nn.Conv2d(width, self.ch * mult, 3, padding=1)
            level.attend = resolution in config.model.attn_resolutions
            if level.attend:
                level.mix = nn.Conv2d(self.ch * mult, self.ch * mult, 1)
            self.levels.append(level)
            width = self.ch * mult
        self.last = nn.Conv2d(width, config.model.out_ch, 3, padding=1)

    def forward(self, x, t):
        assert x.shape[2] == x.shape[3] == self.resolution
        h = self.first(x)
        for level in self.levels:
            h = torch.relu(level.conv(h))
            if level.attend:
                h = h + level.mix(h)
        h = h + self.time(time_features(t, self.ch))[:, :, None, None]
        return self.last(h)
