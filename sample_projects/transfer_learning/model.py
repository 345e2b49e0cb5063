"""A pretrained backbone is frozen on purpose, and only the new head learns."""

import torch
from torch import nn
from torch.nn import functional as F


class FineTuned(nn.Module):
    def __init__(self, backbone, classes):
        super().__init__()
        self.backbone = backbone
        self.backbone.requires_grad_(False)
        self.head = nn.Linear(16, classes)

    def forward(self, images):
        return self.head(self.backbone(images))


def pretrained_backbone():
    """Stand in for a download: two convolutions and a pooling."""
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(8, 16, 3, padding=1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
    )


def gradflow_probe():
    torch.manual_seed(0)
    model = FineTuned(pretrained_backbone(), classes=3)
    images = torch.randn(8, 1, 12, 12)
    labels = torch.randint(0, 3, (8,))
    return model, F.cross_entropy(model(images), labels)
