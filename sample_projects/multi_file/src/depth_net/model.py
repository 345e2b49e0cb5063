"""The model: an encoder, a scale, and a head."""

from torch import nn

from .layers import Encoder, RunningScale


class DepthNet(nn.Module):
    def __init__(self, readings=6, width=12):
        super().__init__()
        self.encoder = Encoder(readings, width)
        self.scale = RunningScale(width)
        self.head = nn.Linear(width, 1)

    def forward(self, x):
        return self.head(self.scale(self.encoder(x)))
