import torch
from torch import nn
import torch.nn.functional as F


class Perception(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Conv2d(3, 8, 3, padding=1)
        self.seg = nn.Conv2d(8, 4, 1)
        self.depth = nn.Sequential(nn.Conv2d(8, 8, 1), nn.ReLU(), nn.Conv2d(8, 1, 1))

    def forward(self, x):
        f = torch.relu(self.backbone(x))
        return {"seg": self.seg(f), "depth": self.depth(f)}


def criterion(out, target, weights=None):
    loss = 0.0
    for key, t in target.items():
        if key == "seg":
            loss = loss + F.cross_entropy(out[key], t)
        elif key == "dept":
            loss = loss + F.l1_loss(out[key], t)
    return loss


def gradflow_probe():
    torch.manual_seed(0)
    p = Perception()
    out = p(torch.randn(2, 3, 6, 6))
    target = {"seg": torch.randint(0, 4, (2, 6, 6)), "depth": torch.rand(2, 1, 6, 6)}
    return p, criterion(out, target)
