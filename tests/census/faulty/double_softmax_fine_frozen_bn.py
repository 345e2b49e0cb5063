import torch
from torch import nn
import torch.nn.functional as F


class Frozen(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(1, 6, 3)
        self.bn = nn.BatchNorm2d(6)
        self.fc = nn.Linear(6, 3)
        for m in self.modules():
            if isinstance(m, nn.BatchNorm2d):
                m.eval()
                m.weight.requires_grad = False
                m.bias.requires_grad = False

    def forward(self, x):
        return F.softmax(self.fc(F.relu(self.bn(self.c1(x))).mean((2, 3))), 1)


def gradflow_probe():
    torch.manual_seed(0)
    net = Frozen()
    return net, F.cross_entropy(net(torch.randn(6, 1, 8, 8)), torch.arange(6) % 3)
