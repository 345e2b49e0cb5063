import torch
from torch import nn


class FusionNet(nn.Module):
    def __init__(self, use_radar=False):
        super().__init__()
        self.camera = nn.LazyConv2d(6, 3)
        self.radar = nn.LazyLinear(6)
        self.head = nn.LazyLinear(2)
        self.use_radar = use_radar

    def forward(self, img, radar):
        f = torch.relu(self.camera(img)).mean((2, 3))
        r = torch.relu(self.radar(radar))
        f = torch.where(torch.tensor(self.use_radar), r, f)
        return self.head(f)


def gradflow_probe():
    torch.manual_seed(0)
    net = FusionNet()
    return net, nn.functional.cross_entropy(net(torch.randn(4, 3, 8, 8), torch.randn(4, 9)), torch.tensor([0, 1, 0, 1]))
