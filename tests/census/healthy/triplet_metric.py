import torch
from torch import nn


class Metric(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 4))

    def forward(self, *xs):
        return [self.net(x) for x in xs]


def gradflow_probe():
    torch.manual_seed(0)
    m = Metric()
    a, p, n = m(*(torch.randn(16, 6) for _ in range(3)))
    return m, nn.TripletMarginLoss(margin=1.0)(a, p, n)
