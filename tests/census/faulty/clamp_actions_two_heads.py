import torch
from torch import nn


class Actor(nn.Module):
    def __init__(self, obs=6, act=2):
        super().__init__()
        self.base = nn.Sequential(nn.Linear(obs, 24), nn.LeakyReLU(0.01))
        self.mu = nn.Linear(24, act)
        self.log_std = nn.Linear(24, act)
        nn.init.constant_(self.log_std.bias, -4.0)

    def forward(self, obs):
        h = self.base(obs)
        std = self.log_std(h).clamp(-2, 2).exp()
        return torch.distributions.Normal(torch.tanh(self.mu(h)), std)


def gradflow_probe():
    torch.manual_seed(0)
    actor = Actor()
    obs, act, adv = torch.randn(12, 6), torch.rand(12, 2) - 0.5, torch.randn(12, 1)
    dist = actor(obs)
    return actor, -(dist.log_prob(act) * adv.detach()).mean()
