from types import SimpleNamespace
from typing import Dict

import torch
import torch.distributions as td
from torch import nn


class RSSMCell(nn.Module):
    def __init__(self, cfg, embed_dim):
        super().__init__()
        self.cell = nn.GRUCell(cfg.stoch_dim + cfg.action_dim, cfg.deter_dim)
        self.prior = nn.Sequential(nn.Linear(cfg.deter_dim, cfg.hidden_dim), nn.ELU(),
                                   nn.Linear(cfg.hidden_dim, 2 * cfg.stoch_dim))
        self.post = nn.Sequential(nn.Linear(cfg.deter_dim + embed_dim, cfg.hidden_dim), nn.ELU(),
                                  nn.Linear(cfg.hidden_dim, 2 * cfg.stoch_dim))
        self.min_std = cfg.min_std

    def _dist(self, stats):
        mean, std = stats.chunk(2, dim=-1)
        return td.Independent(td.Normal(mean, nn.functional.softplus(std) + self.min_std), 1)

    def forward(self, state, action, embed):
        h = self.cell(torch.cat([state[1], action], -1), state[0])
        prior = self._dist(self.prior(h))
        post = self._dist(self.post(torch.cat([h, embed], -1)))
        return (h, post.rsample()), prior, post


class WorldModel(nn.Module):
    """obs: dict with `image` (T, B, 3, 64, 64) in 0..1 and `proprio` (T, B, P); action: (T, B, A)."""

    def __init__(self, cfg, obs_shapes: Dict[str, tuple]):
        super().__init__()
        self.cfg = cfg
        c, h, w = obs_shapes["image"]
        assert (h, w) == (64, 64), "only 64x64 images"
        self.encoder = nn.Sequential(nn.Conv2d(c, 16, 4, 2), nn.ELU(), nn.Conv2d(16, 32, 4, 2), nn.ELU(),
                                     nn.Conv2d(32, 32, 4, 2), nn.ELU(), nn.Flatten())
        p = obs_shapes["proprio"][0]
        embed = 32 * 6 * 6 + p
        self.rssm = RSSMCell(cfg, embed)
        self.decoder = nn.Linear(cfg.deter_dim + cfg.stoch_dim, embed)
        self.reward = nn.Linear(cfg.deter_dim + cfg.stoch_dim, 1)

    def forward(self, obs: Dict[str, torch.Tensor], action: torch.Tensor):
        image, proprio = obs["image"], obs["proprio"]
        T, B = image.shape[:2]
        embed = self.encoder(image.flatten(0, 1)).view(T, B, -1)
        embed = torch.cat([embed, proprio], -1)
        state = (image.new_zeros(B, self.cfg.deter_dim), image.new_zeros(B, self.cfg.stoch_dim))
        feats, kl = [], 0.0
        for t in range(T):
            state, prior, post = self.rssm(state, action[t], embed[t])
            feats.append(torch.cat(state, -1))
            kl = kl + td.kl_divergence(post, prior).mean()
        feat = torch.stack(feats)
        recon = self.decoder(feat)
        loss = ((recon - embed.detach()) ** 2).mean() + kl / T
        return {"loss": loss, "reward": self.reward(feat).squeeze(-1), "feat": feat}
