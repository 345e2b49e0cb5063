import torch
from torch import nn


class NoisyOr(nn.Module):
    def __init__(self, n=8, rules=5):
        super().__init__()
        self.rules = nn.Linear(n, rules)
        self.weight = nn.Linear(rules, 1)

    def forward(self, facts):
        fire = torch.relu(self.rules(facts))
        return self.weight(torch.log(fire))


def gradflow_probe():
    torch.manual_seed(0)
    m = NoisyOr()
    facts = torch.rand(12, 8)
    return m, m(facts).sigmoid().mean()
