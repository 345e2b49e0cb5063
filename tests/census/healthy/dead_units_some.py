import torch
from torch import nn


class Retina(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(12, 32)
        self.out = nn.Linear(32, 3)
        with torch.no_grad():
            self.hidden.bias[:26] = -8.0  # most cells silent at rest

    def forward(self, x):
        return self.out(torch.relu(self.hidden(x)))


def gradflow_probe():
    torch.manual_seed(0)
    m = Retina()
    return m, nn.functional.cross_entropy(m(torch.randn(10, 12)), torch.arange(10) % 3)
