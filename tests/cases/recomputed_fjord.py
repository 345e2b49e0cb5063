import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Fjord(nn.Module):
    def __init__(self, width=10):
        super().__init__()
        self.mouth = nn.Linear(4, width)
        self.arms = nn.ModuleList(nn.Sequential(nn.Linear(width, width), nn.ReLU(inplace=True)) for _ in range(3))
        self.end = nn.Linear(width, 1)

    def forward(self, depth):
        water = self.mouth(depth)
        for arm in self.arms:
            water = water + checkpoint(arm, water, use_reentrant=False)
        return self.end(water)


def gradflow_probe():
    torch.manual_seed(0)
    model = Fjord()
    depth = torch.randn(8, 4)
    return model, (model(depth) - depth.norm(dim=1, keepdim=True)).square().mean()
