import torch
from torch import nn


class MonotoneLinear(nn.Linear):
    pass


class PriceModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1 = MonotoneLinear(4, 8)
        self.l2 = nn.Linear(8, 1)

    def constrain(self, layer):
        w = layer.weight.abs()
        del layer.weight
        layer.weight = nn.Parameter(w)

    def forward(self, x):
        self.constrain(self.l1)
        return self.l2(torch.tanh(self.l1(x)))


def gradflow_probe():
    torch.manual_seed(0)
    m = PriceModel()
    x = torch.rand(11, 4)
    return m, nn.functional.mse_loss(m(x), x.sum(1, keepdim=True))
