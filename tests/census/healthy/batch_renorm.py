import torch
from torch import nn


class BatchRenorm(nn.Module):
    def __init__(self, c, r_max=3.0, d_max=5.0):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(c)), nn.Parameter(torch.zeros(c))
        self.register_buffer("running_mean", torch.zeros(c))
        self.register_buffer("running_std", torch.ones(c))
        self.r_max, self.d_max = r_max, d_max

    def forward(self, x):
        v = lambda t: t.view(1, -1, 1, 1)
        mean, std = x.mean((0, 2, 3)), x.std((0, 2, 3)) + 1e-3
        r = (std.detach() / self.running_std).clamp(1 / self.r_max, self.r_max)
        d = ((mean.detach() - self.running_mean) / self.running_std).clamp(-self.d_max, self.d_max)
        x = (x - v(mean)) / v(std) * v(r) + v(d)
        self.running_mean.lerp_(mean.detach(), 0.1)
        self.running_std.lerp_(std.detach(), 0.1)
        return v(self.weight) * x + v(self.bias)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.bn, self.fc = nn.Conv2d(3, 6, 3), BatchRenorm(6), nn.Linear(6, 3)

    def forward(self, x):
        return self.fc(torch.relu(self.bn(self.conv(x))).mean((2, 3)))


def gradflow_probe():
    torch.manual_seed(0)
    n = Net()
    return n, nn.functional.cross_entropy(n(torch.randn(6, 3, 8, 8)), torch.arange(6) % 3)
