import torch
import torch.nn as nn
import torch.nn.functional as F


class FixupBlock(nn.Module):
    def __init__(self, c, depth):
        super().__init__()
        self.bias1a = nn.Parameter(torch.zeros(1))
        self.conv1 = nn.Conv2d(c, c, 3, padding=1, bias=False)
        self.bias1b = nn.Parameter(torch.zeros(1))
        self.bias2a = nn.Parameter(torch.zeros(1))
        self.conv2 = nn.Conv2d(c, c, 3, padding=1, bias=False)
        self.scale = nn.Parameter(torch.ones(1))
        self.bias2b = nn.Parameter(torch.zeros(1))
        nn.init.normal_(self.conv1.weight, std=(2 / (c * 9)) ** 0.5 * depth ** -0.5)
        nn.init.constant_(self.conv2.weight, 0)

    def forward(self, x):
        y = F.relu(self.conv1(x + self.bias1a) + self.bias1b)
        y = self.conv2(y + self.bias2a) * self.scale + self.bias2b
        return F.relu(x + y)


class FixupNet(nn.Module):
    def __init__(self, c=12, depth=3):
        super().__init__()
        self.stem = nn.Conv2d(1, c, 3, padding=1)
        self.blocks = nn.Sequential(*[FixupBlock(c, depth) for _ in range(depth)])
        self.fc = nn.Linear(c, 3)

    def forward(self, x):
        return self.fc(self.blocks(self.stem(x)).mean((2, 3)))


def gradflow_probe():
    torch.manual_seed(0)
    net = FixupNet()
    return net, F.cross_entropy(net(torch.randn(6, 1, 10, 10)), torch.randint(0, 3, (6,)))
