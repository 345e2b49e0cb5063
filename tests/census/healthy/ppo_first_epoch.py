import torch
from torch import nn
from torch.distributions import Categorical


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 16)
        self.pi = nn.Linear(16, 3)
        self.v = nn.Linear(16, 1)

    def forward(self, x):
        h = torch.relu(self.body(x))
        return self.pi(h), self.v(h)[:, 0]


def gradflow_probe():
    torch.manual_seed(0)
    net = ActorCritic()
    x = torch.randn(48, 4)
    with torch.no_grad():
        logits, v_old = net(x)
        acts = Categorical(logits=logits).sample()
        logp_old = Categorical(logits=logits).log_prob(acts)
    ret = torch.randn(48)
    adv = ret - v_old
    adv = (adv - adv.mean()) / adv.std()
    logits, v = net(x)
    ratio = (Categorical(logits=logits).log_prob(acts) - logp_old).exp()
    surrogate = torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv)
    return net, -surrogate.mean() + 0.5 * nn.functional.mse_loss(v, ret)
