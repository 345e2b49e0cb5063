import torch
from torch import nn
import torch.nn.functional as F


class VAE(nn.Module):
    def __init__(self, x=20, z=4):
        super().__init__()
        self.enc = nn.Linear(x, 16)
        self.mu = nn.Linear(16, z)
        self.logvar = nn.Linear(16, z)
        self.dec = nn.Sequential(nn.Linear(z, 16), nn.ReLU(), nn.Linear(16, x))

    def reparam(self, mu, logvar):
        if self.training:
            std = logvar.mul(0.5).exp_()
            eps = torch.zeros_like(std).normal_(0, 0)
            return eps.mul(std).add_(mu)
        return mu

    def forward(self, x):
        h = F.elu(self.enc(x))
        mu, logvar = self.mu(h), self.logvar(h)
        return self.dec(self.reparam(mu, logvar)), mu, logvar


def gradflow_probe():
    torch.manual_seed(0)
    vae = VAE()
    x = torch.randn(9, 20)
    rec, mu, logvar = vae(x)
    return vae, F.mse_loss(rec, x) + 1e-3 * mu.pow(2).mean()
