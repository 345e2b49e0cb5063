import torch
from torch import nn
import torch.nn.functional as F


class EMA:
    def __init__(self, model, decay=0.999):
        self.decay = decay
        self.shadow = {k: v.detach().clone() for k, v in model.named_parameters()}

    @torch.no_grad()
    def update(self, model):
        for k, v in model.named_parameters():
            self.shadow[k].lerp_(v, 1 - self.decay)


class Block(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.norm, self.conv = nn.GroupNorm(1, i), nn.Conv2d(i, o, 3, padding=1)
        self.time = nn.Linear(8, o)

    def forward(self, x, t):
        return self.conv(F.silu(self.norm(x))) + self.time(t)[..., None, None]


class Denoiser(nn.Module):
    def __init__(self, T=100):
        super().__init__()
        self.net = nn.ModuleList([Block(3, 8), Block(8, 8), Block(8, 3)])
        self.t_embed = nn.Embedding(T, 8)
        self.register_buffer("abar", torch.cumprod(1 - torch.linspace(1e-4, 0.02, T), 0))

    def forward(self, x, t):
        e = self.t_embed(t)
        for b in self.net:
            x = b(x, e)
        return x

    def loss(self, x0):
        t = torch.randint(0, len(self.abar), (len(x0),))
        eps = torch.randn_like(x0)
        a = self.abar[t].view(-1, 1, 1, 1)
        err = (self(a.sqrt() * x0 + (1 - a).sqrt() * eps, t) - eps).pow(2).mean((1, 2, 3))
        snr = (a / (1 - a)).flatten()
        return (err * (snr.clamp(max=5) / snr)).mean()


def gradflow_probe():
    torch.manual_seed(0)
    model = Denoiser()
    ema = EMA(model)
    loss = model.loss(torch.randn(4, 3, 8, 8))
    ema.update(model)
    return model, loss
