from collections import OrderedDict
from typing import Dict, List, Optional, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


class RPNHead(nn.Module):
    def __init__(self, in_channels: int, num_anchors: int):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, in_channels, 3, padding=1)
        self.cls_logits = nn.Conv2d(in_channels, num_anchors, 1)
        self.bbox_pred = nn.Conv2d(in_channels, num_anchors * 4, 1)

    def forward(self, x: List[Tensor]) -> Tuple[List[Tensor], List[Tensor]]:
        logits, bbox_reg = [], []
        for feature in x:
            t = F.relu(self.conv(feature))
            logits.append(self.cls_logits(t))
            bbox_reg.append(self.bbox_pred(t))
        return logits, bbox_reg


class FPN(nn.Module):
    def __init__(self, channels: List[int], out: int):
        super().__init__()
        self.inner = nn.ModuleList(nn.Conv2d(c, out, 1) for c in channels)

    def forward(self, x: Dict[str, Tensor]) -> Dict[str, Tensor]:
        names = list(x.keys())
        feats = list(x.values())
        last = self.inner[-1](feats[-1])
        results = [last]
        for idx in range(len(feats) - 2, -1, -1):
            lateral = self.inner[idx](feats[idx])
            last = lateral + F.interpolate(last, size=lateral.shape[-2:], mode="nearest")
            results.insert(0, last)
        return OrderedDict([(k, v) for k, v in zip(names, results)])


class Detector(nn.Module):
    def __init__(self, channels: List[int], num_anchors: int = 3, fpn_dim: int = 32):
        super().__init__()
        assert len(channels) >= 2
        stages, c_in = [], 3
        for c in channels:
            stages.append(nn.Sequential(nn.Conv2d(c_in, c, 3, 2, 1), nn.BatchNorm2d(c), nn.ReLU()))
            c_in = c
        self.stages = nn.ModuleList(stages)
        self.fpn = FPN(channels, fpn_dim)
        self.head = RPNHead(fpn_dim, num_anchors)

    def forward(self, images: List[Tensor], targets: Optional[List[Dict[str, Tensor]]] = None):
        """images: list of (3, H, W) tensors, all of one size; targets: boxes per image"""
        x = torch.stack(images)
        feats = OrderedDict()
        for i, stage in enumerate(self.stages):
            x = stage(x)
            feats[str(i)] = x
        feats = self.fpn(feats)
        logits, boxes = self.head(list(feats.values()))
        if targets is None:
            return {"logits": logits, "boxes": boxes}
        losses = {"objectness": sum(l.mean() for l in logits)}
        return losses
