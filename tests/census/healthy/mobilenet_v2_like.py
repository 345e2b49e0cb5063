import torch
import torch.nn as nn
import torch.nn.functional as F


def conv_bn(cin, cout, k=3, s=1, groups=1, act=True):
    seq = [nn.Conv2d(cin, cout, k, s, k // 2, groups=groups, bias=False), nn.BatchNorm2d(cout)]
    if act:
        seq.append(nn.ReLU6(inplace=True))
    return nn.Sequential(*seq)


class InvertedResidual(nn.Module):
    def __init__(self, cin, cout, stride, t):
        super().__init__()
        hidden = cin * t
        self.use_skip = stride == 1 and cin == cout
        self.body = nn.Sequential(conv_bn(cin, hidden, 1), conv_bn(hidden, hidden, 3, stride, hidden), conv_bn(hidden, cout, 1, act=False))

    def forward(self, x):
        return x + self.body(x) if self.use_skip else self.body(x)


class TinyMobileNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = conv_bn(3, 8, 3, 2)
        self.blocks = nn.Sequential(InvertedResidual(8, 8, 1, 1), InvertedResidual(8, 12, 2, 4), InvertedResidual(12, 12, 1, 4))
        self.last = conv_bn(12, 48, 1)
        self.fc = nn.Linear(48, 7)

    def forward(self, x):
        x = self.last(self.blocks(self.stem(x)))
        return self.fc(F.adaptive_avg_pool2d(x, 1).flatten(1))


def gradflow_probe():
    torch.manual_seed(0)
    net = TinyMobileNet()
    return net, F.cross_entropy(net(torch.randn(8, 3, 32, 32)), torch.randint(0, 7, (8,)))
