import torch
from torch import nn
import torch.nn.functional as F


class DiscreteVAE(nn.Module):
    def __init__(self, k=6):
        super().__init__()
        self.enc = nn.Linear(12, k)
        self.style = nn.Linear(12, k)
        self.book = nn.Parameter(torch.randn(k, 8))
        self.dec = nn.Linear(16, 12)

    def forward(self, x):
        z = F.gumbel_softmax(self.enc(x), tau=0.8, hard=True) @ self.book
        s = F.one_hot(self.style(x).argmax(-1), 6).float() @ self.book
        return self.dec(torch.cat([z, s], -1))


def gradflow_probe():
    torch.manual_seed(0)
    m = DiscreteVAE()
    x = torch.randn(20, 12)
    return m, F.mse_loss(m(x), x)
