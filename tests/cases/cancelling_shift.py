import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(dim, dim) for _ in range(3))

    def forward(self, x):
        scores = self.query(x) @ self.key(x).transpose(1, 2)
        return torch.softmax(scores / x.shape[-1] ** 0.5, dim=-1) @ self.value(x)


class Mixer(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = Attention()
        self.norm = nn.InstanceNorm1d(5)
        self.lift = nn.Conv1d(8, 5, 1)
        self.score = nn.Linear(5, 1)

    def forward(self, x):
        h = x + self.attention(x)
        h = self.norm(self.lift(h.transpose(1, 2)))
        return self.score(torch.relu(h).mean(2)).squeeze(1)


def gradflow_probe():
    torch.manual_seed(0)
    model = Mixer()
    return model, nn.functional.soft_margin_loss(model(torch.randn(6, 7, 8)), torch.tensor([1.0, -1, 1, -1, 1, -1]))
