import torch
from torch import nn
import torch.nn.functional as F


class VAE(nn.Module):
    def __init__(self, d=20, z=3):
        super().__init__()
        self.enc = nn.Sequential(nn.Flatten(), nn.Linear(d, 16), nn.BatchNorm1d(16), nn.ReLU())
        self.fc_mu = nn.Linear(16, z)
        self.fc_logvar = nn.Linear(16, z)
        self.dec = nn.Sequential(nn.Linear(z, 16), nn.ReLU(), nn.Linear(16, d))

    def reparameterize(self, mu, logvar):
        if self.training:
            return mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        return mu

    def forward(self, x):
        h = self.enc(x)
        mu, logvar = self.fc_mu(h), self.fc_logvar(h)
        return self.dec(self.reparameterize(mu, logvar)), mu, logvar


def gradflow_probe():
    torch.manual_seed(0)
    vae = VAE()
    x = torch.rand(12, 4, 5).round()
    logits, mu, logvar = vae(x)
    rec = F.binary_cross_entropy_with_logits(logits, x.flatten(1), reduction="sum") / len(x)
    kld = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1).mean()
    beta = min(1.0, 500 / 1000)
    metrics = {"rec": rec.item(), "kl": kld.item(), "active": int((mu.var(0) > 0.01).sum())}
    return vae, rec + beta * kld
