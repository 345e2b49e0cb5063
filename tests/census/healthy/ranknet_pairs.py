import torch
from torch import nn

score = None


class RankNet(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.score = nn.Sequential(nn.Linear(d, 12), nn.ELU(), nn.Linear(12, 1))

    def forward(self, better, worse):
        return self.score(better) - self.score(worse)


def gradflow_probe():
    torch.manual_seed(0)
    model = RankNet(6)
    better, worse = torch.randn(20, 6) + 0.3, torch.randn(20, 6)
    margin = model(better, worse)
    return model, nn.functional.softplus(-margin).mean()
