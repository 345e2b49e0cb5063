"""Two branches are added. One is dead from the start: its relu is always 0."""

import torch
from torch import nn
from torch.nn import functional as F


class TwoBranches(nn.Module):
    def __init__(self):
        super().__init__()
        self.main1 = nn.Linear(4, 8)
        self.gate = nn.Linear(4, 4)
        self.dead = nn.Linear(4, 3)
        self.main2 = nn.Linear(8, 3)
        with torch.no_grad():
            self.gate.weight.fill_(0.0)
            self.gate.bias.fill_(-1.0)

    def forward(self, x):
        main = self.main2(torch.relu(self.main1(x)))
        side = self.dead(torch.relu(self.gate(x)))
        return main + side


def gradflow_probe():
    torch.manual_seed(0)
    model = TwoBranches()
    x = torch.randn(6, 4)
    y = torch.tensor([0, 1, 2, 1, 0, 2])
    return model, F.cross_entropy(model(x), y)
