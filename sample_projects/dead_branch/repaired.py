"""The branch brought to life: by a slope on both sides, or a bias above 0."""

import torch
from torch import nn
from torch.nn import functional as F


class TwoBranches(nn.Module):
    def __init__(self, gate_bias, activation):
        super().__init__()
        self.main1 = nn.Linear(4, 8)
        self.gate = nn.Linear(4, 4)
        self.dead = nn.Linear(4, 3)
        self.main2 = nn.Linear(8, 3)
        self.activation = activation
        with torch.no_grad():
            self.gate.weight.fill_(0.0)
            self.gate.bias.fill_(gate_bias)

    def forward(self, x):
        main = self.main2(torch.relu(self.main1(x)))
        side = self.dead(self.activation(self.gate(x)))
        return main + side


def loss_of(model):
    x = torch.randn(6, 4)
    y = torch.tensor([0, 1, 2, 1, 0, 2])
    return F.cross_entropy(model(x), y)


def gradflow_probe_leaky():
    torch.manual_seed(0)
    model = TwoBranches(gate_bias=-1.0, activation=nn.LeakyReLU(0.1))
    return model, loss_of(model)


def gradflow_probe_positive_bias():
    torch.manual_seed(0)
    model = TwoBranches(gate_bias=1.0, activation=nn.ReLU())
    return model, loss_of(model)
