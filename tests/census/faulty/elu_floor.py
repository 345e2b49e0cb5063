import torch
from torch import nn


class Membrane(nn.Module):
    def __init__(self):
        super().__init__()
        self.current = nn.Linear(4, 10)
        nn.init.constant_(self.current.bias, -35.0)
        self.leak = nn.Linear(4, 10)
        self.read = nn.Linear(10, 1)

    def forward(self, x):
        v = nn.functional.silu(self.current(x)) + self.leak(x)
        return self.read(torch.tanh(v))


def gradflow_probe():
    torch.manual_seed(0)
    m = Membrane()
    x = torch.randn(20, 4)
    return m, nn.functional.mse_loss(m(x), x.sum(1, keepdim=True))
