import torch
from torch import nn
from torch.distributions import Normal


def layer_init(layer, std=2 ** 0.5, bias_const=0.0):
    torch.nn.init.orthogonal_(layer.weight, std)
    torch.nn.init.constant_(layer.bias, bias_const)
    return layer


class Agent(nn.Module):
    def __init__(self, obs=6, act=2):
        super().__init__()
        self.critic = nn.Sequential(
            layer_init(nn.Linear(obs, 16)),
            nn.Tanh(),
            layer_init(nn.Linear(16, 1), std=1.0),
        )
        self.actor_mean = nn.Sequential(
            layer_init(nn.Linear(obs, 16)),
            nn.Tanh(),
            layer_init(nn.Linear(16, act), std=0.01),
        )
        self.actor_logstd = nn.Parameter(torch.zeros(1, act))

    def get_action_and_value(self, x, action=None):
        mean = self.actor_mean(x)
        probs = Normal(mean, self.actor_logstd.expand_as(mean).exp())
        if action is None:
            action = probs.sample()
        return action, probs.log_prob(action).sum(1), probs.entropy().sum(1), self.critic(x)


def gradflow_probe():
    torch.manual_seed(1)
    agent = Agent()
    obs = torch.randn(64, 6)
    with torch.no_grad():
        act, old_logprob, _, old_v = agent.get_action_and_value(obs)
    old_logprob = old_logprob + 0.3 * torch.randn(64)
    returns = torch.randn(64)
    _, newlogprob, entropy, newvalue = agent.get_action_and_value(obs, act)
    logratio = newlogprob - old_logprob
    ratio = logratio.exp()
    with torch.no_grad():
        approx_kl = ((ratio - 1) - logratio).mean()
        clipfrac = ((ratio - 1.0).abs() > 0.2).float().mean().item()
    adv = returns - old_v.flatten()
    adv = (adv - adv.mean()) / (adv.std() + 1e-8)
    pg_loss = torch.max(-adv * ratio, -adv * torch.clamp(ratio, 0.8, 1.2)).mean()
    v_clipped = old_v.flatten() + torch.clamp(newvalue.flatten() - old_v.flatten(), -0.2, 0.2)
    v_loss = 0.5 * torch.max((newvalue.flatten() - returns) ** 2, (v_clipped - returns) ** 2).mean()
    return agent, pg_loss - 0.01 * entropy.mean() + 0.5 * v_loss
