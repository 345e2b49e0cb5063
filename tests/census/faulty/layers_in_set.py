import torch
import torch.nn as nn


class Ensemble(nn.Module):
    def __init__(self, d, members=3):
        super().__init__()
        self.members = set()
        for _ in range(members):
            self.members.add(nn.Linear(d, 4))
        self.merge = nn.Linear(4, 2)

    def forward(self, x):
        total = torch.zeros(x.shape[0], 4)
        for m in self.members:
            total = total + torch.tanh(m(x))
        return self.merge(total / len(self.members))


def gradflow_probe():
    torch.manual_seed(0)
    e = Ensemble(5)
    return e, nn.functional.cross_entropy(e(torch.randn(8, 5)), torch.randint(0, 2, (8,)))
