import torch
from torch import nn


def soft_argmax(h):
    b, k, H, W = h.shape
    p = h.flatten(2).softmax(-1).view(b, k, H, W)
    ys = (p.sum(3) * torch.arange(H)).sum(2)
    xs = (p.sum(2) * torch.arange(W)).sum(2)
    return torch.stack([xs, ys], -1)


def hard_argmax(h):
    idx = h.flatten(2).argmax(-1)
    w = h.size(-1)
    return torch.stack([idx % w, torch.div(idx, w, rounding_mode="floor")], -1).float()


class Pose(nn.Module):
    def __init__(self, joints=3):
        super().__init__()
        self.stage1 = nn.Conv2d(1, joints, 3, padding=1)
        self.stage2 = nn.Conv2d(1 + joints, joints, 3, padding=1)

    def forward(self, x):
        h1 = self.stage1(x)
        h2 = self.stage2(torch.cat([x, h1], 1))
        return soft_argmax(h1), hard_argmax(h2)


def gradflow_probe():
    torch.manual_seed(0)
    net = Pose()
    p1, p2 = net(torch.rand(4, 1, 8, 8))
    gt = torch.rand(4, 3, 2) * 7
    return net, (p1 - gt).abs().mean() + (p2 - gt).abs().mean()
