import torch
from torch import nn


class Mix(nn.Module):
    def __init__(self, d=5):
        super().__init__()
        self.main = nn.Linear(d, 4)
        self.side = nn.Linear(d, 4)
        self.logit = nn.Parameter(torch.tensor([0.0, -28.0]))

    def forward(self, x):
        w = torch.softmax(self.logit, 0)
        return w[0] * self.main(x) + w[1] * torch.sigmoid(self.side(x))


def gradflow_probe():
    torch.manual_seed(0)
    m = Mix()
    return m, nn.functional.cross_entropy(m(torch.randn(9, 5)), torch.arange(9) % 4)
