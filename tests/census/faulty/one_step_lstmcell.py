import torch
from torch import nn


class Controller(nn.Module):
    def __init__(self, n=6, h=10):
        super().__init__()
        self.h = h
        self.cell = nn.LSTMCell(n, h)
        self.out = nn.Linear(h, 2)

    def forward(self, x, state=None):
        if state is None:
            state = (torch.zeros(x.size(0), self.h), torch.zeros(x.size(0), self.h))
        hx, cx = self.cell(x, state)
        return self.out(hx), (hx, cx)


def gradflow_probe():
    torch.manual_seed(0)
    ctrl = Controller()
    obs = torch.randn(4, 9, 6)
    loss = 0.0
    for t in range(9):
        y, _ = ctrl(obs[:, t])
        loss = loss + y.pow(2).mean()
    return ctrl, loss / 9
