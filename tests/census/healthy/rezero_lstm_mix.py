import torch
import torch.nn as nn
import torch.nn.functional as F


class Gated(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.rnn = nn.LSTM(d, d, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d))
        self.alpha = nn.Parameter(torch.zeros(2))

    def forward(self, x):
        x = x + self.alpha[0] * self.rnn(x)[0]
        return x + self.alpha[1] * self.ff(x)


class Model(nn.Module):
    def __init__(self, d=16):
        super().__init__()
        self.inp = nn.Linear(3, d)
        self.mid = Gated(d)
        self.out = nn.Linear(d, 1)

    def forward(self, x):
        return self.out(self.mid(self.inp(x)))


def gradflow_probe():
    torch.manual_seed(0)
    m = Model()
    return m, F.l1_loss(m(torch.randn(5, 12, 3)), torch.randn(5, 12, 1))
