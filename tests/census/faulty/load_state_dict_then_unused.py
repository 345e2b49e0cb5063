import torch
from torch import nn


class Dual(nn.Module):
    def __init__(self, d=5):
        super().__init__()
        self.slow = nn.Linear(d, d)
        self.fast = nn.Linear(d, d)
        self.fast.load_state_dict(self.slow.state_dict())
        self.out = nn.Linear(d, 2)

    def forward(self, x):
        return self.out(torch.relu(self.fast(x)))


def gradflow_probe():
    torch.manual_seed(0)
    m = Dual()
    return m, nn.functional.cross_entropy(m(torch.randn(8, 5)), torch.arange(8) % 2)
