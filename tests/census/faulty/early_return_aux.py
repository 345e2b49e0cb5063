import torch
from torch import nn


class Refiner(nn.Module):
    def __init__(self, stages=3):
        super().__init__()
        self.stem = nn.Linear(6, 10)
        self.stages = nn.ModuleDict({f"s{i}": nn.Linear(10, 10) for i in range(stages)})
        self.head = nn.Linear(10, 1)

    def forward(self, x):
        h = torch.relu(self.stem(x))
        for name, stage in self.stages.items():
            h = h + torch.relu(stage(h))
            return self.head(h)


def gradflow_probe():
    torch.manual_seed(0)
    r = Refiner()
    x = torch.randn(9, 6)
    return r, nn.functional.mse_loss(r(x), x[:, :1])
