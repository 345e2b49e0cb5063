import torch
from torch import nn


class PriorNet(nn.Module):
    def __init__(self, d=6, z=3):
        super().__init__()
        self.prior = nn.Linear(d, 2 * z)
        self.post = nn.Linear(d, 2 * z)
        self.dec = nn.Linear(z, d)

    def kl(self, q, p):
        (qm, qs), (pm, ps) = q.chunk(2, -1), p.chunk(2, -1)
        return (ps - qs + ((2 * qs).exp() + (qm - pm) ** 2) / (2 * (2 * ps).exp()) - 0.5).sum(-1)

    def forward(self, x, ctx):
        q, p = self.post(x), self.prior(ctx)
        mu, ls = q.chunk(2, -1)
        z = mu + ls.exp() * torch.randn_like(mu)
        rec = ((self.dec(z) - x) ** 2).sum(-1)
        free = self.kl(q, p).clamp(min=50.0)
        return (rec + free).mean()


def gradflow_probe():
    torch.manual_seed(0)
    m = PriorNet()
    return m, m(torch.randn(14, 6), torch.randn(14, 6))
