import torch
from torch import nn


class Upsampler(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 6, 3, padding=1)
        self.act = nn.PReLU(6)
        self.out = nn.Conv2d(6, 1, 3, padding=1)

    def forward(self, x):
        x = torch.relu(self.conv(x))
        return self.out(self.act(x))


def gradflow_probe():
    torch.manual_seed(0)
    net = Upsampler()
    x = torch.rand(2, 1, 8, 8)
    return net, nn.functional.l1_loss(net(x), x)
