from collections import OrderedDict

import torch.nn as nn
import torch.nn.functional as F


def conv_bn(inp, oup, kernel, leaky=0.1):
    return nn.Sequential(
        nn.Conv2d(inp, oup, kernel, padding=kernel // 2, bias=False), nn.BatchNorm2d(oup), nn.LeakyReLU(leaky)
    )


class PyramidNeck(nn.Module):
    """Takes the maps of a backbone by name, the largest first."""

    def __init__(self, in_channels_list, out_channels):
        super().__init__()
        self.sides = nn.ModuleList(conv_bn(width, out_channels, 1) for width in in_channels_list)
        self.merges = nn.ModuleList(conv_bn(out_channels, out_channels, 3) for _ in in_channels_list[:-1])

    def forward(self, maps):
        levels = [side(one) for side, one in zip(self.sides, list(maps.values()))]
        for i in range(len(levels) - 1, 0, -1):
            up = F.interpolate(levels[i], size=levels[i - 1].shape[2:], mode="nearest")
            levels[i - 1] = self.merges[i - 1](levels[i - 1] + up)
        return OrderedDict((str(i), level) for i, level in enumerate(levels))
