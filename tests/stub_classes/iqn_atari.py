import math
from typing import Tuple

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def layer_init(layer, std=np.sqrt(2), bias_const=0.0):
    torch.nn.init.orthogonal_(layer.weight, std)
    torch.nn.init.constant_(layer.bias, bias_const)
    return layer


class IQN(nn.Module):
    """Implicit quantile network.

    state_shape is (frames, height, width) as given by the env wrappers.
    """

    def __init__(self, state_shape: Tuple[int, int, int], n_actions: int, n_cos: int = 64, hidden: int = 512,
                 dueling: bool = True, use_noisy: bool = False):
        super().__init__()
        c, h, w = state_shape
        assert h == 84 and w == 84, 'wrap the env with WarpFrame'
        self.n_actions = n_actions
        self.n_cos = n_cos
        self.dueling = dueling
        self.register_buffer('pis', torch.arange(1, n_cos + 1).float() * math.pi)
        self.features = nn.Sequential(
            layer_init(nn.Conv2d(c, 32, 8, 4)),
            nn.ReLU(inplace=True),
            layer_init(nn.Conv2d(32, 64, 4, 2)),
            nn.ReLU(inplace=True),
            layer_init(nn.Conv2d(64, 64, 3, 1)),
            nn.ReLU(inplace=True),
            nn.Flatten(),
        )
        n_flat = self._feature_size(state_shape)
        self.cos_embedding = nn.Linear(n_cos, n_flat)
        self.fc = layer_init(nn.Linear(n_flat, hidden))
        if dueling:
            self.value = layer_init(nn.Linear(hidden, 1), std=1.0)
        self.advantage = layer_init(nn.Linear(hidden, n_actions), std=0.01)

    def _feature_size(self, shape):
        with torch.no_grad():
            return self.features(torch.zeros(1, *shape)).shape[1]

    def forward(self, state, num_tau=8):
        batch_size = state.shape[0]
        x = self.features(state.float() / 255.0)
        taus = torch.rand(batch_size, num_tau, 1, device=state.device)
        cos = torch.cos(taus * self.pis.view(1, 1, -1))
        phi = F.relu(self.cos_embedding(cos.view(batch_size * num_tau, self.n_cos)))
        phi = phi.view(batch_size, num_tau, -1)
        x = (x.unsqueeze(1) * phi).view(batch_size * num_tau, -1)
        x = F.relu(self.fc(x))
        adv = self.advantage(x)
        if self.dueling:
            adv = self.value(x) + adv - adv.mean(dim=1, keepdim=True)
        return adv.view(batch_size, num_tau, self.n_actions), taus

    @torch.no_grad()
    def act(self, state, eps=0.0):
        quantiles, _ = self.forward(state.unsqueeze(0), 32)
        return quantiles.mean(1).argmax(1).item()
