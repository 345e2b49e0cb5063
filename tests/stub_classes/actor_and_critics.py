import numpy as np
import torch
import torch.nn as nn


def stacked(widths, between, last=None):
    net = nn.Sequential()
    for inside, out in zip(widths, widths[1:]):
        if len(net):
            net.append(between())
        net.append(nn.Linear(inside, out))
    if last is not None:
        net.append(last())
    return net


class Actor(nn.Module):
    def __init__(self, obs_dim, act_dim, hidden_sizes, activation, act_limit):
        super().__init__()
        self.net = stacked([obs_dim, *hidden_sizes, act_dim], activation, nn.Tanh)
        self.act_limit = act_limit

    def forward(self, obs):
        return self.act_limit * self.net(obs)


class Critic(nn.Module):
    def __init__(self, obs_dim, act_dim, hidden_sizes, activation):
        super().__init__()
        self.net = stacked([obs_dim + act_dim, *hidden_sizes, 1], activation)

    def forward(self, obs, act):
        return self.net(torch.cat([obs, act], dim=-1)).squeeze(-1)


class ActorAndCritics(nn.Module):
    """Holds what the algorithm trains; it calls `pi`, `q1` and `q2` itself."""

    def __init__(self, observation_space, action_space, hidden_sizes=(64, 64), activation=nn.ReLU):
        super().__init__()
        obs_dim = int(np.prod(observation_space.shape))
        act_dim = action_space.shape[0]
        act_limit = action_space.high[0]
        self.pi = Actor(obs_dim, act_dim, hidden_sizes, activation, act_limit)
        self.q1 = Critic(obs_dim, act_dim, hidden_sizes, activation)
        self.q2 = Critic(obs_dim, act_dim, hidden_sizes, activation)

    def act(self, obs):
        with torch.no_grad():
            return self.pi(obs).numpy()
