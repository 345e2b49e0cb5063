import torch
from torch import nn
import torch.nn.functional as F


class Disc(nn.Module):
    def __init__(self, c=6):
        super().__init__()
        self.from_rgb = nn.Conv2d(3, c, 1)
        self.conv = nn.utils.spectral_norm(nn.Conv2d(c, c, 3, 2, 1))
        self.fc = nn.Linear(c * 16, 1)

    def forward(self, x):
        h = F.softplus(self.from_rgb(x))
        return self.fc(F.softplus(self.conv(h)).flatten(1))


def d_loss(D, real, fake, step, every=16, gamma=10.0):
    real = real.detach().requires_grad_(step % every == 0)
    lr, lf = D(real), D(fake.detach())
    loss = F.softplus(-lr).mean() + F.softplus(lf).mean()
    if step % every == 0:
        g, = torch.autograd.grad(lr.sum(), real, create_graph=True)
        loss = loss + gamma / 2 * g.pow(2).sum([1, 2, 3]).mean()
    return loss


def gradflow_probe():
    torch.manual_seed(0)
    D = Disc()
    return D, d_loss(D, torch.rand(4, 3, 8, 8), torch.rand(4, 3, 8, 8), step=0)
