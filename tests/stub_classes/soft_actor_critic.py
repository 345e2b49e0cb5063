import math

import torch
from torch import nn
from torch.distributions import Categorical


class SoftAgent(nn.Module):
    """A policy and its critic over one trunk; the temperature is learned, too."""

    def __init__(self, obs_dim, n_actions, width=64):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(obs_dim, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh())
        self.policy = nn.Linear(width, n_actions)
        self.critic = nn.Linear(width, 1)
        self.log_temperature = nn.Parameter(torch.tensor(math.log(0.1)))
        self.wanted_entropy = 0.6 * math.log(n_actions)

    def forward(self):
        raise NotImplementedError

    def act(self, obs):
        with torch.no_grad():
            return Categorical(logits=self.policy(self.trunk(obs))).sample()

    def get_value(self, obs):
        return self.critic(self.trunk(obs)).squeeze(-1)

    def evaluate_actions(self, obs, action):
        dist = Categorical(logits=self.policy(self.trunk(obs)))
        return dist.log_prob(action), dist.entropy()

    def temperature_loss(self, entropy):
        return (self.log_temperature.exp() * (entropy.detach() - self.wanted_entropy)).mean()
