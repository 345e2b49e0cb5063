import torch
from torch import nn


class MAE(nn.Module):
    def __init__(self, n=12, p=6, d=16, dd=8):
        super().__init__()
        self.embed = nn.Linear(p, d)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, d))
        self.mask_token = nn.Parameter(torch.zeros(1, 1, dd))
        self.pos_enc = nn.Parameter(torch.randn(1, n, d), requires_grad=False)
        self.pos_dec = nn.Parameter(torch.randn(1, n + 1, dd), requires_grad=False)
        self.encoder = nn.TransformerEncoderLayer(d, 2, 32, 0.0, batch_first=True)
        self.dec_embed = nn.Linear(d, dd)
        self.decoder = nn.TransformerEncoderLayer(dd, 2, 16, 0.0, batch_first=True)
        self.pred = nn.Linear(dd, p)

    def forward(self, x, ratio=0.5):
        b, n, _ = x.shape
        keep = int(n * (1 - ratio))
        shuffle = torch.rand(b, n).argsort(1)
        restore = shuffle.argsort(1)
        h = self.embed(x) + self.pos_enc
        h = torch.gather(h, 1, shuffle[:, :keep, None].expand(-1, -1, h.size(-1)))
        h = self.dec_embed(self.encoder(torch.cat([self.cls_token.expand(b, -1, -1), h], 1)))
        full = torch.cat([h[:, 1:], self.mask_token.expand(b, n - keep, -1)], 1)
        full = torch.gather(full, 1, restore[..., None].expand(-1, -1, full.size(-1)))
        out = self.pred(self.decoder(torch.cat([h[:, :1], full], 1) + self.pos_dec))[:, 1:]
        mask = (restore >= keep).float()
        return (((out - x) ** 2).mean(-1) * mask).sum() / mask.sum()


def gradflow_probe():
    torch.manual_seed(0)
    m = MAE()
    return m, m(torch.randn(4, 12, 6))
