import torch
from torch import nn
import torch.nn.functional as F


def ohem(logits, y, keep=0.25, ignore=255):
    loss = F.cross_entropy(logits, y, ignore_index=ignore, reduction="none").flatten()
    k = int(keep * loss.numel())
    thr = loss.detach().topk(k).values[-1]
    hard = loss[loss.detach() >= thr]
    return hard.mean()


class Seg(nn.Module):
    def __init__(self, c=4):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, c, 1))

    def forward(self, x):
        return self.enc(x)


def gradflow_probe():
    torch.manual_seed(0)
    net = Seg()
    y = torch.randint(0, 4, (2, 10, 10))
    y[:, :2] = 255
    return net, ohem(net(torch.randn(2, 3, 10, 10)), y)
