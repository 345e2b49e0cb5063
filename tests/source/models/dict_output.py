"""Finds where the road goes and what stands beside it, in one pass."""

import torch
from torch import nn


class RoadNet(nn.Module):
    """One trunk, two heads; the output has one entry for each head."""

    def __init__(self, num_classes: int, width: int = 16) -> None:
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Conv2d(3, width, 3, stride=2, padding=1),
            nn.ReLU(inplace=True),
            nn.Conv2d(width, width, 3, stride=2, padding=1),
            nn.ReLU(inplace=True),
        )
        self.lanes = nn.Conv2d(width, 1, 1)
        self.signs = nn.Linear(width, num_classes)

    def forward(self, images: torch.Tensor) -> dict[str, torch.Tensor]:
        features = self.trunk(images)
        return {
            "lanes": self.lanes(features),
            "signs": self.signs(features.mean(dim=(2, 3))),
        }
