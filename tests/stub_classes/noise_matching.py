from typing import Tuple

import torch
from torch import Tensor, nn


def schedule(first: float, last: float, steps: int):
    assert 0.0 < first < last < 1.0, "the noise has to grow"
    beta = torch.linspace(first, last, steps + 1)
    kept = torch.cumprod(1 - beta, 0)
    return {"signal": kept.sqrt(), "noise": (1 - kept).sqrt()}


class NoiseMatching(nn.Module):
    """Trains any network that takes a noisy picture and the time."""

    def __init__(self, network: nn.Module, beta: Tuple[float, float], steps: int, distance: nn.Module = nn.MSELoss()):
        super().__init__()
        self.network = network
        self.steps = steps
        self.distance = distance
        for name, values in schedule(beta[0], beta[1], steps).items():
            self.register_buffer(name, values)

    def forward(self, x: Tensor) -> Tensor:
        t = torch.randint(1, self.steps + 1, (x.shape[0],), device=x.device)
        eps = torch.randn_like(x)
        noisy = self.signal[t, None, None, None] * x + self.noise[t, None, None, None] * eps
        return self.distance(eps, self.network(noisy, t / self.steps))
