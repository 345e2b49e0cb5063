import torch
from torch import nn


class SentenceVAE(nn.Module):
    def __init__(self, v=30, d=10, z=4):
        super().__init__()
        self.emb = nn.Embedding(v, d)
        self.enc = nn.GRU(d, d, batch_first=True)
        self.stats = nn.Linear(d, 2 * z)
        self.init = nn.Linear(z, d)
        self.dec = nn.GRU(d, d, batch_first=True)
        self.out = nn.Linear(d, v)

    def forward(self, ids):
        e = self.emb(ids)
        mu, lv = self.stats(self.enc(e)[1][0]).chunk(2, -1)
        z = mu + torch.randn_like(mu) * (lv / 2).exp()
        h, _ = self.dec(e[:, :-1], torch.tanh(self.init(z))[None])
        return self.out(h), mu, lv


def kl_weight(step, warmup=1000):
    return min(1.0, step / warmup)


def gradflow_probe(step=0):
    torch.manual_seed(0)
    m = SentenceVAE()
    ids = torch.randint(0, 30, (5, 7))
    logits, mu, lv = m(ids)
    kl = 0.5 * (mu ** 2 + lv.exp() - lv - 1).sum(1).mean()
    return m, nn.functional.cross_entropy(logits.transpose(1, 2), ids[:, 1:]) + kl_weight(step) * kl
