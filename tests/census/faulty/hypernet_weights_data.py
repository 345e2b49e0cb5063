import torch
from torch import nn


class Hyper(nn.Module):
    def __init__(self, ctx=3, i=4, o=5):
        super().__init__()
        self.gen = nn.Linear(ctx, i * o)
        self.main = nn.Linear(i, o)
        self.out = nn.Linear(o, 1)

    def forward(self, c, x):
        self.main.weight.data = self.gen(c).view_as(self.main.weight)
        return self.out(torch.tanh(self.main(x)))


def gradflow_probe():
    torch.manual_seed(0)
    h = Hyper()
    x = torch.randn(9, 4)
    return h, nn.functional.mse_loss(h(torch.randn(3), x), x[:, :1])
