import torch
import torch.nn as nn
import torch.nn.functional as F


class MiniMAE(nn.Module):
    def __init__(self, patches=16, dim=12, d=24, keep=6):
        super().__init__()
        self.keep = keep
        self.embed = nn.Linear(dim, d)
        self.pos = nn.Parameter(torch.randn(1, patches, d) * 0.02)
        self.enc = nn.TransformerEncoderLayer(d, 2, 48, 0.0, "gelu", batch_first=True, norm_first=True)
        self.mask_token = nn.Parameter(torch.zeros(1, 1, d))
        self.dec = nn.TransformerEncoderLayer(d, 2, 48, 0.0, "gelu", batch_first=True, norm_first=True)
        self.pixels = nn.Linear(d, dim)

    def forward(self, x):
        B, N, _ = x.shape
        order = torch.rand(B, N).argsort(1)
        keep, inverse = order[:, : self.keep], order.argsort(1)
        h = self.embed(x) + self.pos
        h = self.enc(h.gather(1, keep.unsqueeze(-1).expand(-1, -1, h.size(-1))))
        full = torch.cat([h, self.mask_token.expand(B, N - self.keep, -1)], 1)
        full = full.gather(1, inverse.unsqueeze(-1).expand(-1, -1, full.size(-1))) + self.pos
        masked = (inverse >= self.keep).float()
        err = (self.pixels(self.dec(full)) - x).pow(2).mean(-1)
        return (err * masked).sum() / masked.sum()


def gradflow_probe():
    torch.manual_seed(0)
    mae = MiniMAE()
    return mae, mae(torch.randn(4, 16, 12))
