import torch
import torch.nn.functional as F
from torch import nn


class HyperConv(nn.Module):
    """The kernel is computed from a style code; there is no weight of its own."""

    def __init__(self, style=5, c_in=2, c_out=3, k=3):
        super().__init__()
        self.shape = (c_out, c_in, k, k)
        self.write = nn.Linear(style, c_out * c_in * k * k)
        self.bias = nn.Parameter(torch.zeros(c_out))

    def forward(self, image, style):
        kernels = self.write(style).view(-1, *self.shape[1:])
        n = len(image)
        grouped = F.conv2d(image.reshape(1, -1, *image.shape[2:]), kernels, padding=1, groups=n)
        return grouped.view(n, self.shape[0], *image.shape[2:]) + self.bias[:, None, None]


class Painter(nn.Module):
    def __init__(self):
        super().__init__()
        self.style = nn.Sequential(nn.Linear(4, 5), nn.ReLU6())
        self.draw = HyperConv()

    def forward(self, image, mood):
        return self.draw(image, self.style(mood))


def gradflow_probe():
    torch.manual_seed(0)
    painter = Painter()
    image = torch.rand(4, 2, 6, 6)
    return painter, F.l1_loss(painter(image, torch.randn(4, 4)), image.mean(1, keepdim=True).expand(-1, 3, -1, -1))
