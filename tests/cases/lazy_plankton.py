import torch
from torch import nn


class Plankton(nn.Module):
    def __init__(self):
        super().__init__()
        self.eye = nn.Sequential(nn.LazyConv2d(6, 3), nn.LazyBatchNorm2d(), nn.ReLU(), nn.Flatten())
        self.name = nn.LazyLinear(4)

    def forward(self, image):
        return self.name(self.eye(image))


def gradflow_probe():
    torch.manual_seed(0)
    model = Plankton()
    return model, nn.functional.cross_entropy(model(torch.rand(6, 2, 9, 9)), torch.arange(6) % 4)
