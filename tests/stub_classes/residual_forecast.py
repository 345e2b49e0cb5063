from typing import Tuple

import torch as th


class Trend(th.nn.Module):
    def __init__(self, past: int, future: int):
        super().__init__()
        self.past = past
        self.future = future

    def forward(self, theta: th.Tensor):
        return theta[:, : self.past], theta[:, -self.future :]


class Block(th.nn.Module):
    def __init__(self, input_size: int, theta_size: int, basis: th.nn.Module, layers: int, layer_size: int):
        super().__init__()
        sizes = [input_size] + [layer_size] * layers
        self.layers = th.nn.ModuleList([th.nn.Linear(a, b) for a, b in zip(sizes, sizes[1:])])
        self.theta = th.nn.Linear(layer_size, theta_size)
        self.basis = basis

    def forward(self, x: th.Tensor) -> Tuple[th.Tensor, th.Tensor]:
        for layer in self.layers:
            x = th.relu(layer(x))
        return self.basis(self.theta(x))


class ResidualForecast(th.nn.Module):
    def __init__(self, blocks: th.nn.ModuleList):
        super().__init__()
        self.blocks = blocks

    def forward(self, x: th.Tensor, mask: th.Tensor) -> th.Tensor:
        rest = x.flip(dims=(1,))
        mask = mask.flip(dims=(1,))
        forecast = x[:, -1:]
        for block in self.blocks:
            explained, ahead = block(rest)
            rest = (rest - explained) * mask
            forecast = forecast + ahead
        return forecast
