import itertools
import torch
from torch import nn


def set_requires_grad(nets, flag):
    for net in nets:
        for p in net.parameters():
            p.requires_grad = flag


def gen(c=4):
    return nn.Sequential(nn.Conv2d(3, c, 3, padding=1), nn.InstanceNorm2d(c), nn.ReLU(), nn.Conv2d(c, 3, 3, padding=1), nn.Tanh())


def disc(c=4):
    return nn.Sequential(nn.Conv2d(3, c, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(c, 1, 4, 1, 1))


class CycleGAN:
    def __init__(self):
        self.G_A, self.G_B, self.D_A, self.D_B = gen(), gen(), disc(), disc()

    def g_loss(self, a, b):
        set_requires_grad([self.D_A, self.D_B], False)
        fake_b, fake_a = self.G_A(a), self.G_B(b)
        adv = sum((d(f) - 1).pow(2).mean() for d, f in ((self.D_A, fake_b), (self.D_B, fake_a)))
        cyc = (self.G_B(fake_b) - a).abs().mean() + (self.G_A(fake_a) - b).abs().mean()
        idt = (self.G_A(b) - b).abs().mean() + (self.G_B(a) - a).abs().mean()
        self.pool = fake_b.detach(), fake_a.detach()
        return adv + 10 * cyc + 5 * idt

    def d_loss(self, a, b):
        set_requires_grad([self.D_A, self.D_B], True)
        fb, fa = self.pool
        return sum(0.5 * ((d(r) - 1).pow(2).mean() + d(f).pow(2).mean()) for d, r, f in ((self.D_A, b, fb), (self.D_B, a, fa)))


def gradflow_probe():
    torch.manual_seed(0)
    m = CycleGAN()
    a, b = torch.rand(2, 3, 8, 8), torch.rand(2, 3, 8, 8)
    g = m.g_loss(a, b)
    d = m.d_loss(a, b)
    nets = {"G_A": m.G_A, "G_B": m.G_B, "D_A": m.D_A, "D_B": m.D_B}
    return nets, {"G": g, "D": d}
