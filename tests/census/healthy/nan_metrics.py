import torch
from torch import nn


class Reg(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(3, 12), nn.Linear(12, 1)
        self.best = float("inf")

    def forward(self, x):
        return self.b(torch.sigmoid(self.a(x))).squeeze(-1)


def r2(pred, y):
    return 1 - (pred - y).pow(2).sum() / (y - y.mean()).pow(2).sum()


def gradflow_probe():
    torch.manual_seed(0)
    m = Reg()
    x = torch.randn(9, 3)
    y = x.sum(1)
    pred = m(x)
    loss = nn.functional.mse_loss(pred, y)
    with torch.no_grad():
        const = r2(pred, torch.ones(9))                 # -inf
        snr = (pred - pred).std() / (pred - pred).mean()   # nan
        log_neg = torch.log(pred - 100)
    logs = {"r2": const.item(), "snr": snr.item(), "ll": log_neg.mean().item(), "one": pred.detach()[:1].std().item()}
    m.best = min(m.best, loss.item())
    assert logs["snr"] != logs["snr"]
    return m, loss
