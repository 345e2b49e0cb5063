import abc

import torch
from torch import nn


class Scorer(nn.Module, abc.ABC):
    def __init__(self, width):
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Linear(9, width),
            nn.LayerNorm(width),
            nn.GELU(),
        )

    @abc.abstractmethod
    def head(self, features): ...

    @torch.no_grad()
    def features(self, x):
        return self.trunk(x)

    def forward(self, x):
        return self.head(self.features(x))


class DoseScorer(Scorer):
    def __init__(self, width=14):
        super().__init__(width)
        self.dose = nn.Linear(width, 1)

    def head(self, features):
        return self.dose(features).exp()


def gradflow_probe():
    torch.manual_seed(1)
    model = DoseScorer()
    x = torch.randn(10, 9)
    return model, nn.PoissonNLLLoss(log_input=False)(model(x), torch.rand(10, 1))
