import torch
import torch.nn as nn
import torch.nn.functional as F


class Critic(nn.Module):
    def __init__(self, d=10):
        super().__init__()
        self.l1, self.n1 = nn.Linear(d, 32), nn.LayerNorm(32)
        self.l2 = nn.Linear(32, 32)
        self.score = nn.Linear(32, 1)

    def forward(self, x):
        h = F.leaky_relu(self.n1(self.l1(x)), 0.2)
        return self.score(torch.tanh(self.l2(h)))


def gradient_penalty(critic, real, fake):
    a = torch.rand(len(real), 1)
    mixed = (a * real + (1 - a) * fake).requires_grad_(True)
    g, = torch.autograd.grad(critic(mixed).sum(), mixed, create_graph=True)
    return ((g.norm(2, dim=1) - 1) ** 2).mean()


def gradflow_probe():
    torch.manual_seed(0)
    critic = Critic()
    G = nn.Linear(4, 10)
    real = torch.randn(32, 10) + 2
    with torch.no_grad():
        fake = G(torch.randn(32, 4))
    loss = critic(fake).mean() - critic(real).mean() + 10 * gradient_penalty(critic, real, fake)
    return critic, loss
