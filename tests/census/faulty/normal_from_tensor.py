import torch
from torch import nn


class NoisyPolicy(nn.Module):
    def __init__(self, obs=5, act=2):
        super().__init__()
        self.body = nn.Linear(obs, 16)
        self.mu = nn.Linear(16, act)
        self.log_std = nn.Parameter(torch.full((act,), -1.0))
        self.critic = nn.Linear(obs + act, 1)

    def forward(self, obs):
        h = torch.tanh(self.body(obs))
        mean, std = self.mu(h), self.log_std.exp()
        action = torch.normal(mean, std.expand_as(mean))
        return self.critic(torch.cat([obs, action], dim=-1))


def gradflow_probe():
    torch.manual_seed(0)
    p = NoisyPolicy()
    return p, -p(torch.randn(12, 5)).mean()
