from typing import Dict, List, Tuple

import torch
from torch import nn, Tensor


class RoIHead(nn.Module):
    """Pools each box from its image's map and classifies it.

    features: (N, C, H, W); boxes: one (K_i, 4) tensor per image with x1, y1, x2, y2 in pixels of the map
    """

    def __init__(self, in_channels: int, num_classes: int, pool: int = 7, rep: int = 64):
        super().__init__()
        self.pool = pool
        self.fc6 = nn.Linear(in_channels * pool * pool, rep)
        self.fc7 = nn.Linear(rep, rep)
        self.cls_score = nn.Linear(rep, num_classes)
        self.bbox_pred = nn.Linear(rep, num_classes * 4)

    def roi_grid(self, boxes: Tensor, size: Tuple[int, int]) -> Tensor:
        h, w = size
        lin = torch.linspace(0, 1, self.pool, device=boxes.device)
        x = boxes[:, 0:1] + (boxes[:, 2:3] - boxes[:, 0:1]) * lin
        y = boxes[:, 1:2] + (boxes[:, 3:4] - boxes[:, 1:2]) * lin
        gx = (x / (w - 1) * 2 - 1)[:, None, :].expand(-1, self.pool, -1)
        gy = (y / (h - 1) * 2 - 1)[:, :, None].expand(-1, -1, self.pool)
        return torch.stack([gx, gy], dim=-1)

    def forward(self, features: Tensor, boxes: List[Tensor]) -> Dict[str, Tensor]:
        assert len(boxes) == features.shape[0], "one box tensor per image"
        pooled = []
        for fmap, b in zip(features, boxes):
            grid = self.roi_grid(b, fmap.shape[-2:])
            pooled.append(nn.functional.grid_sample(fmap[None].expand(len(b), -1, -1, -1), grid, align_corners=True))
        x = torch.cat(pooled).flatten(1)
        x = torch.relu(self.fc7(torch.relu(self.fc6(x))))
        return {"scores": self.cls_score(x), "deltas": self.bbox_pred(x)}
