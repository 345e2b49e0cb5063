import torch
from torch import nn


class VQVAE(nn.Module):
    def __init__(self, k=10, d=5):
        super().__init__()
        self.enc = nn.Linear(12, d)
        self.codes = nn.Embedding(k, d)
        self.codes.weight.data.uniform_(-1 / k, 1 / k)
        self.dec = nn.Linear(d, 12)

    def forward(self, x):
        z = self.enc(x)
        dist = (z ** 2).sum(1, keepdim=True) - 2 * z @ self.codes.weight.t() + (self.codes.weight ** 2).sum(1)
        q = self.codes(dist.argmin(1))
        codebook_loss = (q - z.detach()).pow(2).mean()
        commit = (z - q.detach()).pow(2).mean()
        st = z + (q - z).detach()
        return self.dec(st), codebook_loss + 0.25 * commit


def gradflow_probe():
    torch.manual_seed(0)
    model = VQVAE()
    x = torch.randn(20, 12)
    y, extra = model(x)
    return model, (y - x).abs().mean() + extra
