import copy
import torch
from torch import nn
import torch.nn.functional as F


class TwinQ(nn.Module):
    def __init__(self, o, a):
        super().__init__()
        self.q1 = nn.Sequential(nn.Linear(o + a, 16), nn.ReLU(), nn.Linear(16, 1))
        self.q2 = nn.Sequential(nn.Linear(o + a, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, obs, act):
        oa = torch.cat([obs, act], -1)
        return self.q1(oa), self.q2(oa)


class Actor(nn.Module):
    def __init__(self, o, a):
        super().__init__()
        self.trunk = nn.Linear(o, 16)
        self.mu = nn.Linear(16, a)
        self.log_std = nn.Linear(16, a)

    def forward(self, obs):
        h = torch.relu(self.trunk(obs))
        mu, std = self.mu(h), self.log_std(h).clamp(-5, 2).exp()
        pre = mu + std * torch.randn_like(mu)
        logp = (-0.5 * ((pre - mu) / std) ** 2 - std.log()).sum(-1) - torch.log(1 - torch.tanh(pre) ** 2 + 1e-6).sum(-1)
        return torch.tanh(pre), logp


class SAC(nn.Module):
    def __init__(self, o=5, a=2):
        super().__init__()
        self.actor, self.critic = Actor(o, a), TwinQ(o, a)
        self.critic_target = copy.deepcopy(self.critic).requires_grad_(False)
        self.log_alpha = nn.Parameter(torch.tensor(-1.0))
        self.target_entropy = -float(a)


def gradflow_probe():
    torch.manual_seed(0)
    sac = SAC()
    o, a, r, o2 = torch.randn(32, 5), torch.rand(32, 2) * 2 - 1, torch.randn(32), torch.randn(32, 5)
    with torch.no_grad():
        a2, lp2 = sac.actor(o2)
        tq = torch.min(*sac.critic_target(o2, a2)).squeeze(-1) - sac.log_alpha.exp() * lp2
        y = r + 0.99 * tq
    q1, q2 = sac.critic(o, a)
    critic_loss = F.mse_loss(q1.squeeze(-1), y) + F.mse_loss(q2.squeeze(-1), y)
    ap, lp = sac.actor(o)
    actor_loss = (sac.log_alpha.exp().detach() * lp - torch.min(*sac.critic(o, ap)).squeeze(-1)).mean()
    alpha_loss = -(sac.log_alpha * (lp + sac.target_entropy).detach()).mean()
    return sac, {"critic": critic_loss, "actor": actor_loss, "alpha": alpha_loss}
