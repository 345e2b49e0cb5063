import torch
from torch import nn


class Branches(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.inp = nn.Linear(4, d)
        self.a = nn.Linear(d, d)
        self.a_out = nn.Linear(d, d, bias=False)
        self.a_out.weight = nn.Parameter(torch.zeros_like(self.a_out.weight))
        self.c = nn.Linear(d, d)
        self.c_out = nn.Linear(d, d)
        nn.init.normal_(self.c_out.weight, std=0.0)
        self.out = nn.Linear(d, 1)

    def forward(self, x):
        h = torch.tanh(self.inp(x))
        h = h + self.a_out(torch.relu(self.a(h)))
        h = h + self.c_out(torch.relu(self.c(h)))
        return self.out(h).squeeze(-1)


def gradflow_probe():
    torch.manual_seed(0)
    m = Branches()
    x = torch.randn(20, 4)
    return m, nn.functional.mse_loss(m(x), x[:, 0])
