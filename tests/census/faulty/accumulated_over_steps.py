import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.feat = nn.Linear(5, 8)
        self.aux = nn.Linear(8, 2)
        self.out = nn.Linear(8, 2)

    def forward(self, x):
        return self.out(torch.relu(self.feat(x)))


def gradflow_probe():
    torch.manual_seed(0)
    n = Net()
    for _ in range(2):
        loss = nn.functional.cross_entropy(n(torch.randn(8, 5)), torch.arange(8) % 2)
        loss.backward()
    return n, loss
