import torch
from torch import nn


class Hyper(nn.Module):
    def __init__(self, ctx=3, i=4, o=5):
        super().__init__()
        self.gen = nn.Sequential(nn.Linear(ctx, 8), nn.ReLU(), nn.Linear(8, i * o))
        self.main = nn.Linear(i, o)
        self.out = nn.Linear(o, 1)

    def forward(self, c, x):
        w = self.gen(c).view(5, 4)
        with torch.no_grad():
            self.main.weight.copy_(w)
        return self.out(torch.tanh(self.main(x)))


def gradflow_probe():
    torch.manual_seed(0)
    h = Hyper()
    x = torch.randn(9, 4)
    return h, nn.functional.mse_loss(h(torch.randn(3), x), x[:, :1])
