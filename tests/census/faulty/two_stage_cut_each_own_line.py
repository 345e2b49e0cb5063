import torch
from torch import nn


class Style(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(4, 6)
        self.style = nn.Linear(4, 6)
        self.tokens = nn.Linear(6, 10)
        self.book = nn.Embedding(10, 6)
        self.out = nn.Linear(6, 2)

    def forward(self, x):
        ids = self.tokens(torch.relu(self.enc(x))).argmax(-1)
        s = self.style(x).data
        return self.out(self.book(ids) + s)


def gradflow_probe():
    torch.manual_seed(0)
    m = Style()
    return m, nn.functional.cross_entropy(m(torch.randn(8, 4)), torch.arange(8) % 2)
