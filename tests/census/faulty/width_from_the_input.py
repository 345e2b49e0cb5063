import torch
from torch import nn


class Adapter(nn.Module):
    def __init__(self, out=6):
        super().__init__()
        self.head = nn.Linear(out, 2)

    def forward(self, image):
        squeeze = nn.Conv2d(image.shape[1], 6, 1, bias=False)
        return self.head(torch.tanh(squeeze(image)).mean((2, 3)))


def gradflow_probe():
    torch.manual_seed(0)
    net = Adapter()
    return net, nn.functional.cross_entropy(net(torch.randn(5, 3, 4, 4)), torch.arange(5) % 2)
