import torch
from torch import nn


class Segmenter(nn.Module):
    def __init__(self, c=6):
        super().__init__()
        self.stem = nn.Conv2d(3, c, 3, padding=1)
        self.heads = nn.ModuleDict(
            {
                "mask": nn.Conv2d(c, 1, 1),
                "edge": nn.Conv2d(c, 1, 1),  # not yet
            }
        )
        self.taps = nn.ModuleList([nn.Conv2d(c, c, 1), nn.Conv2d(c, c, 1)])

    def forward(self, x):
        return self.heads["mask"](torch.tanh(self.taps[0](self.stem(x))))


def gradflow_probe():
    torch.manual_seed(0)
    net = Segmenter()
    x = torch.randn(2, 3, 6, 6)
    return net, nn.functional.mse_loss(net(x), x[:, :1])
