import torch
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.wq = nn.Linear(d, d)
        self.wk = nn.Linear(d, d)
        self.wv = nn.Linear(d, d)

    def forward(self, x):
        b, n, d = x.shape
        split = lambda t: t.reshape(b, n, self.h, d // self.h).permute(0, 2, 1, 3)
        q, k, v = split(self.wq(x)), split(self.wk(x)), split(self.wv(x))
        att = torch.einsum("bhid,bhjd->bhij", q, k) * (d // self.h) ** -0.5
        att = att.softmax(dim=-1)
        return torch.einsum("bhij,bhjd->bhid", att, v).permute(0, 2, 1, 3).reshape(b, n, d)


class Additive(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.w1, self.w2 = nn.Linear(d, d), nn.Linear(d, d)
        self.v = nn.Linear(d, 1)

    def forward(self, query, keys):
        return self.v(torch.tanh(self.w1(query).unsqueeze(1) + self.w2(keys))).squeeze(-1)


class PointerNet(nn.Module):
    def __init__(self, d=12):
        super().__init__()
        self.embed = nn.Linear(2, d)
        self.layers = nn.ModuleList(SelfAttention(d, 3) for _ in range(2))
        self.pointer = Additive(d)

    def forward(self, xy):
        h = self.embed(xy)
        for layer in self.layers:
            h = h + layer(h)
        return self.pointer(h.mean(1), h)


def gradflow_probe():
    torch.manual_seed(0)
    net = PointerNet()
    xy = torch.rand(6, 7, 2)
    return net, nn.functional.cross_entropy(net(xy), xy[..., 0].argmin(1))
