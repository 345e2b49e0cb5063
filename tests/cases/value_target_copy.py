import copy

import torch
from torch import nn


class Critic(nn.Module):
    def __init__(self, obs=6, actions=2):
        super().__init__()
        self.q = nn.Sequential(nn.Linear(obs + actions, 24), nn.Softsign(), nn.Linear(24, 1))

    def forward(self, obs, act):
        return self.q(torch.cat([obs, act], dim=-1)).squeeze(-1)


def polyak(target, online, tau=0.05):
    with torch.no_grad():
        for t, o in zip(target.parameters(), online.parameters()):
            t.mul_(1 - tau).add_(o, alpha=tau)


def gradflow_probe():
    torch.manual_seed(0)
    online = Critic()
    target = copy.deepcopy(online)
    policy = nn.Linear(6, 2)
    obs, act, reward, after = torch.randn(17, 6), torch.rand(17, 2), torch.randn(17), torch.randn(17, 6)
    polyak(target, online)
    with torch.no_grad():
        goal = reward + 0.9 * target(after, policy(after).tanh())
    q = online(obs, act)
    error = (q - goal).pow(2).mean()
    history = {"q": q.mean().item(), "loss": float(error), "best": int(q.argmax())}
    assert all(value == value for value in history.values())
    return online, error
