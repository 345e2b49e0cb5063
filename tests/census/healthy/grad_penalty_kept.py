import torch
from torch import nn


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(5, 16), nn.Softplus(), nn.Linear(16, 1))
        self.cache = {}

    def forward(self, x):
        return self.net(x).squeeze(-1)

    def penalty(self, real, fake):
        a = torch.rand(len(real), 1)
        mid = torch.lerp(real, fake, a).detach().requires_grad_()
        self.cache["mid"] = mid
        g = torch.autograd.grad(self(mid).sum(), mid, create_graph=True)[0]
        self.cache["gp"] = ((g.norm(dim=1) - 1) ** 2).mean()
        return self.cache["gp"]


def gradflow_probe():
    torch.manual_seed(0)
    c = Critic()
    real, fake = torch.randn(12, 5), torch.randn(12, 5) + 1
    return c, c(fake).mean() - c(real).mean() + 10 * c.penalty(real, fake)
