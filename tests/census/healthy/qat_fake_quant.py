import torch
from torch import nn
import torch.nn.functional as F


def grad_scale(x, s):
    return (x - x * s).detach() + x * s


def round_pass(x):
    return (x.round() - x).detach() + x


class LSQ(nn.Module):
    def __init__(self, bits=4, signed=True):
        super().__init__()
        self.lo, self.hi = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2 ** bits - 1)
        self.step = nn.Parameter(torch.tensor(0.1))

    def forward(self, x):
        s = grad_scale(self.step, 1.0 / (self.hi * x.numel()) ** 0.5)
        x = (x / s).clamp(self.lo, self.hi)
        return round_pass(x) * s


class QLinear(nn.Linear):
    def __init__(self, i, o):
        super().__init__(i, o)
        self.wq, self.aq = LSQ(), LSQ(signed=False)

    def forward(self, x):
        return F.linear(self.aq(x), self.wq(self.weight), self.bias)


class QNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1 = QLinear(10, 16)
        self.l2 = QLinear(16, 3)

    def forward(self, x):
        return self.l2(F.relu(self.l1(x)))


def gradflow_probe():
    torch.manual_seed(0)
    net = QNet()
    return net, F.cross_entropy(net(torch.rand(20, 10)), torch.arange(20) % 3)
