import torch
from torch import nn


class Scorer(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
        self.shift = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        return self.score(x).squeeze(-1) + self.shift


def gradflow_probe():
    torch.manual_seed(0)
    m = Scorer()
    a, b = torch.randn(30, 5), torch.randn(30, 5)
    sa, sb = m(a), m(b)
    rank = nn.functional.softplus(sb - sa).mean()
    calib = nn.functional.binary_cross_entropy_with_logits(sa, (a[:, 0] > 0).float())
    return m, {"rank": rank, "calibration": calib}
