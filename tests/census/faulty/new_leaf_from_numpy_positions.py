import numpy as np
import torch
from torch import nn


class Tracker(nn.Module):
    def __init__(self, d=6):
        super().__init__()
        self.motion = nn.GRUCell(2, d)
        self.to_xy = nn.Linear(d, 2)
        self.refine = nn.Linear(2, 2)
        self.legacy = nn.Linear(d, d)

    def forward(self, obs):
        h = torch.zeros(obs.size(0), 6)
        track = []
        for t in range(obs.size(1)):
            h = self.motion(obs[:, t], h)
            track.append(self.to_xy(h).detach().numpy())
        smooth = np.cumsum(np.stack(track), axis=0)[-1]
        return self.refine(torch.tensor(smooth, dtype=torch.float32))


def gradflow_probe():
    torch.manual_seed(0)
    t = Tracker()
    obs = torch.randn(4, 6, 2)
    return t, nn.functional.mse_loss(t(obs), obs.sum(1))
