import math
from typing import Dict, List, Sequence, Tuple

import torch
from torch import nn, Tensor
from torch.nn import functional as F

INF = 100000000


class Scale(nn.Module):
    def __init__(self, init_value: float = 1.0):
        super().__init__()
        self.scale = nn.Parameter(torch.FloatTensor([init_value]))

    def forward(self, input: Tensor) -> Tensor:
        return input * self.scale


class FCOSHead(nn.Module):
    """Fully convolutional one-stage detection head on top of an FPN."""

    def __init__(self, in_channels: int, num_classes: int, num_convs: int = 4,
                 strides: Sequence[int] = (8, 16, 32, 64, 128), prior_prob: float = 0.01,
                 norm_reg_targets: bool = True, centerness_on_reg: bool = False):
        super().__init__()
        self.fpn_strides = list(strides)
        self.norm_reg_targets = norm_reg_targets
        self.centerness_on_reg = centerness_on_reg
        cls_tower, bbox_tower = [], []
        for _ in range(num_convs):
            for tower in (cls_tower, bbox_tower):
                tower.append(nn.Conv2d(in_channels, in_channels, 3, padding=1))
                tower.append(nn.GroupNorm(32, in_channels))
                tower.append(nn.ReLU())
        self.add_module("cls_tower", nn.Sequential(*cls_tower))
        self.add_module("bbox_tower", nn.Sequential(*bbox_tower))
        self.cls_logits = nn.Conv2d(in_channels, num_classes, 3, padding=1)
        self.bbox_pred = nn.Conv2d(in_channels, 4, 3, padding=1)
        self.centerness = nn.Conv2d(in_channels, 1, 3, padding=1)
        for modules in [self.cls_tower, self.bbox_tower, self.cls_logits, self.bbox_pred, self.centerness]:
            for l in modules.modules():
                if isinstance(l, nn.Conv2d):
                    nn.init.normal_(l.weight, std=0.01)
                    nn.init.constant_(l.bias, 0)
        nn.init.constant_(self.cls_logits.bias, -math.log((1 - prior_prob) / prior_prob))
        self.scales = nn.ModuleList([Scale(init_value=1.0) for _ in self.fpn_strides])

    def forward(self, features: List[Tensor]) -> Tuple[List[Tensor], List[Tensor], List[Tensor]]:
        assert len(features) == len(self.fpn_strides)
        logits, bbox_reg, centerness = [], [], []
        for l, feature in enumerate(features):
            cls_tower = self.cls_tower(feature)
            box_tower = self.bbox_tower(feature)
            logits.append(self.cls_logits(cls_tower))
            if self.centerness_on_reg:
                centerness.append(self.centerness(box_tower))
            else:
                centerness.append(self.centerness(cls_tower))
            bbox_pred = self.scales[l](self.bbox_pred(box_tower))
            if self.norm_reg_targets:
                bbox_pred = F.relu(bbox_pred)
                bbox_reg.append(bbox_pred if self.training else bbox_pred * self.fpn_strides[l])
            else:
                bbox_reg.append(torch.exp(bbox_pred))
        return logits, bbox_reg, centerness
