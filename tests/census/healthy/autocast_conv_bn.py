import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1, self.b1 = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8)
        self.c2, self.b2 = nn.Conv2d(8, 8, 3, padding=1), nn.BatchNorm2d(8)
        self.q, self.k, self.v = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)
        self.fc = nn.Linear(8, 4)

    def forward(self, x):
        x = torch.relu(self.b1(self.c1(x)))
        x = torch.relu(self.b2(self.c2(x)))
        t = x.flatten(2).transpose(1, 2)
        a = (self.q(t) @ self.k(t).mT / 8 ** 0.5).softmax(-1)
        return self.fc((t + a @ self.v(t)).mean(1))


def gradflow_probe():
    torch.manual_seed(0)
    net = Net()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = nn.functional.cross_entropy(net(torch.randn(8, 3, 8, 8)), torch.arange(8) % 4)
    return net, loss
