import torch
from torch import nn


class Pos(nn.Module):
    def __init__(self, t, d):
        super().__init__()
        self.table = nn.Parameter(0.1 * torch.randn(t, d))

    def forward(self, x):
        x.detach().add_(self.table[: x.size(1)])
        return x


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp = nn.Linear(3, 8)
        self.pos = Pos(12, 8)
        self.mix = nn.GRU(8, 8, batch_first=True)
        self.out = nn.Linear(8, 1)

    def forward(self, x):
        return self.out(self.mix(self.pos(self.inp(x)))[0][:, -1])


def gradflow_probe():
    torch.manual_seed(0)
    m = Model()
    x = torch.randn(5, 9, 3)
    return m, nn.functional.mse_loss(m(x), x[:, 0, :1])
