import torch
from torch import nn


class SE(nn.Module):
    def __init__(self, c, r=2):
        super().__init__()
        self.fc = nn.Sequential(nn.Linear(c, c // r), nn.ReLU(), nn.Linear(c // r, c), nn.Sigmoid())

    def forward(self, x):
        return x * self.fc(x.mean((2, 3)))[:, :, None, None]


class Maxout(nn.Module):
    def __init__(self, i, o, k):
        super().__init__()
        self.lin = nn.Linear(i, o * k)
        self.k = k

    def forward(self, x):
        return self.lin(x).unflatten(-1, (-1, self.k)).amax(-1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.act = nn.PReLU(8)
        self.se = SE(8)
        self.glu = nn.Conv2d(8, 12, 3)
        self.maxout = Maxout(6, 5, 3)
        self.out = nn.Linear(5, 3)

    def forward(self, x):
        x = self.se(self.act(self.conv(x)))
        x = nn.functional.glu(self.glu(x), 1).amax((2, 3))
        return self.out(self.maxout(x))


def gradflow_probe():
    torch.manual_seed(0)
    net = Net()
    return net, nn.functional.cross_entropy(net(torch.randn(12, 3, 8, 8)), torch.arange(12) % 3)
