import abc
from typing import Callable, Dict, Optional, Type

import torch
from torch import nn

BACKBONES: Dict[str, Callable[..., nn.Module]] = {}


def register_backbone(name: str):
    def decorator(fn):
        if name in BACKBONES:
            raise KeyError(f"{name} is registered twice")
        BACKBONES[name] = fn
        return fn
    return decorator


class Backbone(nn.Module, abc.ABC):
    @property
    @abc.abstractmethod
    def out_dim(self) -> int:
        ...


@register_backbone("tiny_conv")
class TinyConv(Backbone):
    def __init__(self, in_channels: int = 3, width: int = 16):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(in_channels, width, 3, 2, 1), nn.ReLU(), nn.Conv2d(width, 2 * width, 3, 2, 1))
        self._out = 2 * width

    @property
    def out_dim(self):
        return self._out

    def forward(self, x):
        return self.conv(x).mean((-2, -1))


@register_backbone("mlp")
def mlp_backbone(in_dim: int = 784, width: int = 64):
    return nn.Sequential(nn.Flatten(), nn.Linear(in_dim, width), nn.ReLU())


class Classifier(nn.Module):
    def __init__(self, backbone: str, num_classes: int, head: Optional[Type[nn.Module]] = None, **backbone_kwargs):
        super().__init__()
        if backbone not in BACKBONES:
            raise ValueError(f"unknown backbone {backbone!r}, choose from {sorted(BACKBONES)}")
        self.backbone = BACKBONES[backbone](**backbone_kwargs)
        dim = self.backbone.out_dim
        self.head = nn.Linear(dim, num_classes) if head is None else head(dim, num_classes)

    def forward(self, images):
        return self.head(self.backbone(images))
