import torch
from torch import nn
from torch.distributions import Categorical


class AC(nn.Module):
    def __init__(self, obs=6, acts=3):
        super().__init__()
        self.torso = nn.Sequential(nn.Linear(obs, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh())
        self.policy_head = nn.Linear(16, acts)
        self.value_head = nn.Linear(16, 1)
        for head in (self.policy_head, self.value_head):
            nn.init.zeros_(head.weight)
            nn.init.zeros_(head.bias)

    def forward(self, o):
        h = self.torso(o)
        pi = Categorical(logits=self.policy_head(h))
        return pi, self.value_head(h).squeeze(-1)


def gradflow_probe():
    torch.manual_seed(0)
    net = AC()
    pi, v = net(torch.randn(32, 6))
    a = pi.sample()
    ret = torch.randn(32)
    return net, -(pi.log_prob(a) * (ret - v.detach())).mean() + 0.5 * (v - ret).pow(2).mean()
