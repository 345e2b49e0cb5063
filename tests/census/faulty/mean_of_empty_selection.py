import torch
from torch import nn


class Hinge(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1))

    def forward(self, x):
        return self.score(x).squeeze(-1)


def hard_negative_loss(scores, labels, threshold=10.0):
    pos = torch.relu(1 - scores[labels == 1])
    hard = scores[(labels == 0) & (scores > threshold)]
    return pos.mean() + hard.mean()


def gradflow_probe():
    torch.manual_seed(0)
    m = Hinge()
    labels = torch.tensor([0, 1] * 6)
    return m, hard_negative_loss(m(torch.randn(12, 6)), labels)
