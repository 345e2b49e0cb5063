import torch
from torch import nn


class Sine(nn.Module):
    def __init__(self, i, o, w0=30.0, first=False):
        super().__init__()
        self.lin, self.w0 = nn.Linear(i, o), w0
        with torch.no_grad():
            b = 1 / i if first else (6 / i) ** 0.5 / w0
            self.lin.weight.uniform_(-b, b)

    def forward(self, x):
        return torch.sin(self.w0 * self.lin(x))


def gradflow_probe():
    torch.manual_seed(0)

    class Image(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = nn.Sequential(Sine(2, 24, first=True), Sine(24, 24), Sine(24, 24), nn.Linear(24, 3))

        def forward(self, xy):
            return self.net(xy)

    img = Image()
    g = torch.linspace(-1, 1, 8)
    xy = torch.stack(torch.meshgrid(g, g, indexing="ij"), -1).view(-1, 2)
    return img, (img(xy) - torch.rand(64, 3)).square().mean()
