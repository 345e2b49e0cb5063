import torch
from torch import nn
import torch.nn.functional as F


class VectorQuantizerEMA(nn.Module):
    def __init__(self, k, d, decay=0.99, commitment=0.25):
        super().__init__()
        self.decay, self.commitment = decay, commitment
        self.register_buffer("codebook", torch.randn(k, d))
        self.register_buffer("cluster", torch.zeros(k))

    def forward(self, z):
        flat = z.reshape(-1, z.shape[-1])
        idx = torch.cdist(flat, self.codebook).argmin(dim=1)
        onehot = F.one_hot(idx, len(self.codebook)).type(flat.dtype)
        if self.training:
            with torch.no_grad():
                self.cluster.mul_(self.decay).add_(onehot.sum(0), alpha=1 - self.decay)
        q = self.codebook[idx].view_as(z)
        loss = self.commitment * F.mse_loss(q.detach(), z)
        q = z + (q - z).detach()
        perplexity = torch.exp(-torch.sum(onehot.mean(0) * torch.log(onehot.mean(0) + 1e-10)))
        return q, loss, perplexity


class VQVAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = nn.Sequential(nn.Conv1d(1, 8, 4, 2, 1), nn.ReLU(), nn.Conv1d(8, 6, 4, 2, 1))
        self.vq = VectorQuantizerEMA(12, 6)
        self.decode = nn.Sequential(nn.ConvTranspose1d(6, 8, 4, 2, 1), nn.ReLU(), nn.ConvTranspose1d(8, 1, 4, 2, 1))

    def forward(self, x):
        z = self.encode(x).transpose(1, 2)
        q, loss, perp = self.vq(z)
        return self.decode(q.transpose(1, 2)), loss, perp


def gradflow_probe():
    torch.manual_seed(0)
    model = VQVAE()
    x = torch.randn(4, 1, 32)
    recon, vq_loss, perplexity = model(x)
    return model, F.mse_loss(recon, x) + vq_loss
