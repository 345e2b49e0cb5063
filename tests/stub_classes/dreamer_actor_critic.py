from dataclasses import dataclass
from typing import Sequence, Tuple

import torch
import torch.nn as nn
import torch.distributions as td


@dataclass
class AgentConfig:
    obs_size: int = 24
    action_size: int = 6
    hidden: Tuple[int, ...] = (256, 256)
    min_std: float = 0.1
    activation: str = "elu"
    recurrent: bool = True
    lstm_size: int = 128


ACTS = {"elu": nn.ELU, "relu": nn.ReLU, "tanh": nn.Tanh}


def build_mlp(sizes: Sequence[int], act) -> nn.Sequential:
    layers = []
    for i in range(len(sizes) - 1):
        layers += [nn.Linear(sizes[i], sizes[i + 1]), act()]
    return nn.Sequential(*layers)


class RecurrentActorCritic(nn.Module):
    """Actor-critic with an LSTM core, resets the state on episode ends."""

    def __init__(self, config: AgentConfig):
        super().__init__()
        self.config = config
        act = ACTS[config.activation]
        self.encoder = build_mlp([config.obs_size, *config.hidden], act)
        self.core = nn.LSTMCell(config.hidden[-1], config.lstm_size)
        self.mean = nn.Linear(config.lstm_size, config.action_size)
        self.std = nn.Linear(config.lstm_size, config.action_size)
        self.critic = nn.Linear(config.lstm_size, 1)

    def initial_state(self, batch_size: int, device="cpu"):
        z = torch.zeros(batch_size, self.config.lstm_size, device=device)
        return z, z.clone()

    def forward(self, obs: torch.Tensor, dones: torch.Tensor, state: Tuple[torch.Tensor, torch.Tensor] = None):
        # obs [T, B, O], dones [T, B]
        T, B = obs.shape[:2]
        if state is None:
            state = self.initial_state(B, obs.device)
        x = self.encoder(obs)
        outs = []
        h, c = state
        for t in range(T):
            mask = (1.0 - dones[t].float()).unsqueeze(-1)
            h, c = self.core(x[t], (h * mask, c * mask))
            outs.append(h)
        y = torch.stack(outs)
        mean = torch.tanh(self.mean(y))
        std = nn.functional.softplus(self.std(y)) + self.config.min_std
        dist = td.Independent(td.Normal(mean, std), 1)
        return dist, self.critic(y).squeeze(-1), (h, c)
