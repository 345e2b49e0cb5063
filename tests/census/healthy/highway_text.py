import torch
import torch.nn as nn
import torch.nn.functional as F


class Highway(nn.Module):
    def __init__(self, size, n=3):
        super().__init__()
        self.transform = nn.ModuleList([nn.Linear(size, size) for _ in range(n)])
        self.gate = nn.ModuleList([nn.Linear(size, size) for _ in range(n)])
        for g in self.gate:
            g.bias.data.fill_(-1.0)

    def forward(self, x):
        for t, g in zip(self.transform, self.gate):
            a = torch.sigmoid(g(x))
            x = a * F.relu(t(x)) + (1 - a) * x
        return x


class CharCNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(30, 8)
        self.convs = nn.ModuleList([nn.Conv1d(8, 12, k) for k in (2, 3, 4)])
        self.highway = Highway(36)
        self.out = nn.Linear(36, 5)

    def forward(self, ids):
        x = self.emb(ids).transpose(1, 2)
        x = torch.cat([F.relu(c(x)).max(-1).values for c in self.convs], 1)
        return self.out(self.highway(x))


def gradflow_probe():
    torch.manual_seed(0)
    m = CharCNN()
    return m, F.cross_entropy(m(torch.randint(0, 30, (8, 15))), torch.randint(0, 5, (8,)))
