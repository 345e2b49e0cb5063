import torch
import torch.nn as nn
import torch.nn.functional as F


def encode(x, L):
    f = 2.0 ** torch.arange(L) * torch.pi
    a = x[..., None] * f
    return torch.cat([x, a.sin().flatten(-2), a.cos().flatten(-2)], -1)


class NeRF(nn.Module):
    def __init__(self, W=48, D=6, skip=3, Lx=4, Ld=2):
        super().__init__()
        cx, cd = 3 + 6 * Lx, 3 + 6 * Ld
        self.skip, self.Lx, self.Ld = skip, Lx, Ld
        self.pts = nn.ModuleList([nn.Linear(cx, W)] + [nn.Linear(W + cx if i == skip else W, W) for i in range(1, D)])
        self.sigma = nn.Linear(W, 1)
        self.feat = nn.Linear(W, W)
        self.view = nn.Linear(W + cd, W // 2)
        self.rgb = nn.Linear(W // 2, 3)

    def forward(self, x, d):
        e = encode(x, self.Lx)
        h = e
        for i, lin in enumerate(self.pts):
            if i == self.skip:
                h = torch.cat([h, e], -1)
            h = F.relu(lin(h))
        c = F.relu(self.view(torch.cat([self.feat(h), encode(d, self.Ld)], -1)))
        return torch.sigmoid(self.rgb(c)), F.softplus(self.sigma(h).squeeze(-1))


def gradflow_probe():
    torch.manual_seed(0)
    net = NeRF()
    d = F.normalize(torch.randn(8, 3), dim=-1)
    t = torch.linspace(0.5, 3, 16)
    rgb, sigma = net(d[:, None] * t[:, None], d[:, None].expand(-1, 16, -1))
    alpha = 1 - torch.exp(-sigma * (t[1] - t[0]))
    T = torch.cumprod(torch.cat([torch.ones(8, 1), 1 - alpha + 1e-10], 1), 1)[:, :-1]
    image = ((T * alpha)[..., None] * rgb).sum(1)
    return net, F.mse_loss(image, torch.rand(8, 3))
