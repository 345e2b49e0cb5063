import torch
from torch import nn


class LearnedPositions(nn.Module):
    def __init__(self, length, dim):
        super().__init__()
        self.table = nn.Parameter(torch.randn(length, dim) * 0.02)

    @torch.no_grad()
    def forward(self, n):
        return self.table[:n].unsqueeze(0)


class ViTLike(nn.Module):
    def __init__(self, patches=9, dim=16, classes=3):
        super().__init__()
        self.patch = nn.Linear(12, dim)
        self.pos = LearnedPositions(patches, dim)
        layer = nn.TransformerEncoderLayer(dim, 2, 32, dropout=0.0, batch_first=True)
        self.enc = nn.TransformerEncoder(layer, 2)
        self.head = nn.Linear(dim, classes)
        self.ema = [p.detach().clone() for p in self.head.parameters()]

    @torch.no_grad()
    def update_ema(self):
        for e, p in zip(self.ema, self.head.parameters()):
            e.lerp_(p, 0.01)

    def forward(self, x):
        self.update_ema()
        h = self.patch(x)
        h = h + self.pos(h.size(1))
        return self.head(self.enc(h).mean(1))


def gradflow_probe():
    torch.manual_seed(0)
    net = ViTLike()
    return net, nn.functional.cross_entropy(net(torch.randn(4, 9, 12)), torch.tensor([0, 1, 2, 0]))
