import math
import torch
from torch import nn


class DKL(nn.Module):
    def __init__(self, d=4):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d, 16), nn.Tanh(), nn.Linear(16, 2))
        self.log_ls = nn.Parameter(torch.zeros(2))
        self.log_amp = nn.Parameter(torch.tensor(0.0))
        self.log_noise = nn.Parameter(torch.tensor(-2.0))
        self.mean = nn.Parameter(torch.tensor(0.0))

    def nll(self, x, y):
        z = self.net(x) / self.log_ls.exp()
        d2 = (z[:, None] - z[None]).square().sum(-1)
        K = self.log_amp.exp() * torch.exp(-0.5 * d2) + self.log_noise.exp() * torch.eye(len(x))
        L = torch.linalg.cholesky(K)
        r = (y - self.mean)[:, None]
        a = torch.cholesky_solve(r, L)
        return 0.5 * (r * a).sum() + L.diagonal().log().sum() + 0.5 * len(x) * math.log(2 * math.pi)


def gradflow_probe():
    torch.manual_seed(0)
    gp = DKL()
    x = torch.randn(25, 4)
    return gp, gp.nll(x, x[:, 0] ** 2) / 25
