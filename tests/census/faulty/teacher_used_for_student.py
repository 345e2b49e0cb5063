import copy

import torch
from torch import nn


class Byol(nn.Module):
    def __init__(self, d=6):
        super().__init__()
        self.online = nn.Sequential(nn.Linear(d, 12), nn.ReLU(), nn.Linear(12, 8))
        self.target = copy.deepcopy(self.online)
        for p in self.target.parameters():
            p.requires_grad = False
        self.predictor = nn.Linear(8, 8)

    def forward(self, a, b):
        guess = self.predictor(self.target(a))
        with torch.no_grad():
            goal = self.target(b)
        return 2 - 2 * nn.functional.cosine_similarity(guess, goal, dim=-1).mean()


def gradflow_probe():
    torch.manual_seed(0)
    m = Byol()
    x = torch.randn(16, 6)
    return m, m(x + 0.1 * torch.randn_like(x), x)
