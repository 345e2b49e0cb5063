from dataclasses import dataclass, field
from functools import partial
from typing import Callable

import torch
from torch import nn


@dataclass
class Cfg:
    dims: list[int] = field(default_factory=lambda: [8, 16, 16])
    act: str = "gelu"
    norm: Callable[..., nn.Module] = partial(nn.LayerNorm, eps=1e-5)
    dropout: float = 0.1


def activation(name: str) -> nn.Module:
    match name:
        case "gelu":
            return nn.GELU()
        case "relu":
            return nn.ReLU()
        case _:
            raise ValueError(name)


class MLP(nn.Module):
    def __init__(self, cfg: Cfg):
        super().__init__()
        layers: list[nn.Module] = []
        for i, o in zip(cfg.dims[:-1], cfg.dims[1:]):
            layers += [
                nn.Linear(i, o),
                cfg.norm(o),
                activation(cfg.act),
                nn.Dropout(cfg.dropout),
            ]
        self.layers = nn.Sequential(*layers)
        self.head = nn.Linear(cfg.dims[-1], 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.layers(x)).squeeze(-1)


def gradflow_probe():
    torch.manual_seed(0)
    model = MLP(Cfg(act="relu"))
    x = torch.randn(32, 8)
    return model, nn.functional.gaussian_nll_loss(model(x), x.mean(1), torch.full((32,), 0.1))
