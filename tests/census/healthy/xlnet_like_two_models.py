import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Normal, TransformedDistribution
from torch.distributions.transforms import TanhTransform


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(6, 32), nn.ReLU())
        self.mu = nn.Linear(32, 2)
        self.log_std = nn.Linear(32, 2)

    def forward(self, s):
        h = self.net(s)
        return TransformedDistribution(Normal(self.mu(h), self.log_std(h).clamp(-5, 2).exp()), [TanhTransform(cache_size=1)])


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.q1 = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
        self.q2 = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, s, a):
        x = torch.cat([s, a], -1)
        return self.q1(x), self.q2(x)


def gradflow_probe():
    torch.manual_seed(0)
    actor, critic = Actor(), Critic()
    s, a, y = torch.randn(32, 6), torch.rand(32, 2) * 2 - 1, torch.randn(32, 1)
    q1, q2 = critic(s, a)
    critic_loss = F.mse_loss(q1, y) + F.mse_loss(q2, y)
    dist = actor(s)
    new = dist.rsample()
    actor_loss = (0.2 * dist.log_prob(new).sum(-1, keepdim=True) - torch.min(*critic(s, new))).mean()
    return (actor, critic), {"critic": critic_loss, "actor": actor_loss}
