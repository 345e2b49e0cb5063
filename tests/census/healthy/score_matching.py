import torch
from torch import nn


class ScoreNet(nn.Module):
    def __init__(self, d=2, h=32):
        super().__init__()
        self.register_buffer("freq", torch.randn(8) * 4)
        self.a, self.b, self.c = nn.Linear(d, h), nn.Linear(16, h), nn.Linear(h, d)

    def forward(self, x, t):
        e = t[:, None] * self.freq
        e = torch.cat([e.sin(), e.cos()], 1)
        return self.c(nn.functional.silu(self.a(x) + self.b(e))) / t[:, None]


def dsm(net, x):
    t = torch.rand(len(x)) * 0.9 + 0.1
    z = torch.randn_like(x)
    return ((net(x + t[:, None] * z, t) * t[:, None] + z) ** 2).sum(1).mean()


def gradflow_probe():
    torch.manual_seed(0)
    net = ScoreNet()
    x = torch.randn(40, 2)
    loss = dsm(net, x)
    xs = x.clone().requires_grad_()
    v = torch.randn_like(xs)
    s = net(xs, torch.full((40,), 0.5))
    jv = torch.autograd.grad((s * v).sum(), xs, create_graph=True)[0]
    ssm = ((jv * v).sum(1) + 0.5 * (s * v).sum(1) ** 2).mean()
    return net, loss + 0.1 * ssm
