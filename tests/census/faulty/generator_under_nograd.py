import torch
from torch import nn


class WindowEncoder(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.width = width
        self.enc = nn.Linear(width, 6)
        self.rnn = nn.GRUCell(6, 6)
        self.out = nn.Linear(6, 2)

    @torch.no_grad()
    def windows(self, x):
        for i in range(0, x.size(1), self.width):
            yield torch.tanh(self.enc(x[:, i:i + self.width]))

    def forward(self, x):
        h = x.new_zeros(x.size(0), 6)
        for w in self.windows(x):
            h = self.rnn(w, h)
        return self.out(h)


def gradflow_probe():
    torch.manual_seed(0)
    m = WindowEncoder()
    return m, nn.functional.cross_entropy(m(torch.randn(5, 32)), torch.tensor([0, 1, 0, 1, 1]))
