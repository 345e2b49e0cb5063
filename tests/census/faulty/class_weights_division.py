import torch
from torch import nn


class Bugs(nn.Module):
    def __init__(self, n=4):
        super().__init__()
        self.fc = nn.Linear(7, n)

    def forward(self, x):
        return self.fc(x)


def balanced_weights(labels, n):
    counts = torch.bincount(labels, minlength=n).float()
    w = 1.0 / counts
    return w / w.sum()


def gradflow_probe():
    torch.manual_seed(0)
    m = Bugs()
    labels = torch.tensor([0, 1, 3, 0, 1, 3, 3, 0])
    loss = nn.functional.cross_entropy(m(torch.randn(8, 7)), labels, weight=balanced_weights(labels, 4))
    return m, loss
