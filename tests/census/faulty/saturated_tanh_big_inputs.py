import torch
from torch import nn


class RawTanh(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(6, 10)
        self.second = nn.Linear(10, 3)
        nn.init.uniform_(self.first.weight, 0.4, 0.5)

    def forward(self, x):
        h = torch.tanh(self.first(x))
        return self.second(h)


def gradflow_probe():
    torch.manual_seed(0)
    m = RawTanh()
    x = 200 + 55 * torch.rand(12, 6)
    return m, nn.functional.cross_entropy(m(x), torch.arange(12) % 3)
