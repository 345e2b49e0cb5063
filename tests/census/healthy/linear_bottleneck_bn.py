import torch
from torch import nn


class InvertedResidual(nn.Module):
    def __init__(self, i, o, s=1, t=3):
        super().__init__()
        self.use_res = s == 1 and i == o
        self.expand = nn.Conv2d(i, i * t, 1, bias=False)
        self.expand_bn = nn.BatchNorm2d(i * t)
        self.dw = nn.Conv2d(i * t, i * t, 3, s, 1, groups=i * t, bias=False)
        self.dw_bn = nn.BatchNorm2d(i * t)
        self.project = nn.Conv2d(i * t, o, 1, bias=False)
        self.project_bn = nn.BatchNorm2d(o)

    def forward(self, x):
        h = nn.functional.relu6(self.expand_bn(self.expand(x)))
        h = nn.functional.relu6(self.dw_bn(self.dw(h)))
        h = self.project_bn(self.project(h))
        return x + h if self.use_res else h


class MobileNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(InvertedResidual(3, 6), InvertedResidual(6, 8, 2), InvertedResidual(8, 8))
        self.last = nn.Sequential(nn.Conv2d(8, 12, 1, bias=False), nn.BatchNorm2d(12), nn.ReLU6())
        self.fc = nn.Linear(12, 4)

    def forward(self, x):
        return self.fc(self.last(self.blocks(x)).mean((2, 3)))


def gradflow_probe():
    torch.manual_seed(0)
    m = MobileNet()
    return m, nn.functional.cross_entropy(m(torch.randn(8, 3, 12, 12)), torch.arange(8) % 4)
