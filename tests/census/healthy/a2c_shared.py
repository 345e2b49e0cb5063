import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical


def layer(i, o, gain=2 ** 0.5):
    lin = nn.Linear(i, o)
    nn.init.orthogonal_(lin.weight, gain)
    nn.init.constant_(lin.bias, 0.0)
    return lin


class ActorCritic(nn.Module):
    def __init__(self, obs=8, act=4):
        super().__init__()
        self.body = nn.Sequential(layer(obs, 32), nn.Tanh(), layer(32, 32), nn.Tanh())
        self.pi = layer(32, act, gain=0.01)
        self.v = layer(32, 1, gain=1.0)

    def forward(self, x):
        h = self.body(x)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


def gradflow_probe():
    torch.manual_seed(0)
    ac = ActorCritic()
    obs, returns = torch.randn(20, 8), torch.randn(20)
    dist, value = ac(obs)
    action = dist.sample()
    adv = (returns - value).detach()
    loss = -(dist.log_prob(action) * adv).mean() + 0.5 * F.mse_loss(value, returns) - 0.01 * dist.entropy().mean()
    return ac, loss
