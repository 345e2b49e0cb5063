import torch
from torch import nn
import torch.nn.functional as F


class ArcFace(nn.Module):
    def __init__(self, d, k, s=16.0, m=0.3):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(k, d))
        nn.init.xavier_normal_(self.weight)
        self.s, self.m = s, m

    def forward(self, x, y):
        cos = F.linear(F.normalize(x), F.normalize(self.weight)).clamp(-1 + 1e-6, 1 - 1e-6)
        target = torch.cos(cos.acos() + self.m)
        hot = F.one_hot(y, cos.size(1)).bool()
        return F.cross_entropy(self.s * torch.where(hot, target, cos), y)


class CenterLoss(nn.Module):
    def __init__(self, k, d):
        super().__init__()
        self.centers = nn.Parameter(torch.randn(k, d))

    def forward(self, x, y):
        return (x - self.centers[y]).pow(2).sum(1).mean() / 2


def gradflow_probe():
    torch.manual_seed(0)
    model = nn.ModuleDict({
        "backbone": nn.Sequential(nn.Linear(9, 16), nn.PReLU(), nn.Linear(16, 6)),
        "arc": ArcFace(6, 5),
        "center": CenterLoss(5, 6),
    })
    x, y = torch.randn(15, 9), torch.arange(15) % 4     # class 4 is absent
    f = model["backbone"](x)
    return model, model["arc"](f, y) + 0.01 * model["center"](f, y)
