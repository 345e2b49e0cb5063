import torch
import torch.nn as nn
import torch.nn.functional as F


class GRN(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.gamma = nn.Parameter(torch.zeros(1, 1, 1, c))
        self.beta = nn.Parameter(torch.zeros(1, 1, 1, c))

    def forward(self, x):
        g = torch.norm(x, p=2, dim=(1, 2), keepdim=True)
        return self.gamma * (x * (g / (g.mean(-1, keepdim=True) + 1e-6))) + self.beta + x


class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.dw = nn.Conv2d(c, c, 7, padding=3, groups=c)
        self.norm = nn.LayerNorm(c, eps=1e-6)
        self.pw1, self.grn, self.pw2 = nn.Linear(c, 4 * c), GRN(4 * c), nn.Linear(4 * c, c)

    def forward(self, x):
        y = self.norm(self.dw(x).permute(0, 2, 3, 1))
        y = self.pw2(self.grn(F.gelu(self.pw1(y))))
        return x + y.permute(0, 3, 1, 2)


class Net(nn.Module):
    def __init__(self, c=12):
        super().__init__()
        self.stem = nn.Conv2d(3, c, 4, 4)
        self.blocks = nn.Sequential(Block(c), Block(c))
        self.head = nn.Linear(c, 5)

    def forward(self, x):
        return self.head(self.blocks(self.stem(x)).mean((2, 3)))


def gradflow_probe():
    torch.manual_seed(0)
    net = Net()
    return net, F.cross_entropy(net(torch.randn(4, 3, 32, 32)), torch.randint(0, 5, (4,)))
