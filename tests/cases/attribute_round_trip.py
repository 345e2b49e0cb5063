import torch
from torch import nn


class Normaliser(nn.Module):
    def __init__(self):
        super().__init__()
        self.look = nn.Linear(4, 3)
        self.scale = nn.Linear(4, 3)

    def measure(self, x):
        self.levels = self.look(x).mean(0).tolist()

    def levels_as_tensor(self):
        return torch.tensor([level * 2 for level in self.levels])

    def forward(self, x):
        self.measure(x)
        return self.scale(x) + self.levels_as_tensor()


def gradflow_probe():
    torch.manual_seed(0)
    net = Normaliser()
    return net, net(torch.randn(7, 4)).square().mean()
