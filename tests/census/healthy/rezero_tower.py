import torch
import torch.nn as nn
import torch.nn.functional as F


class ReZeroBlock(nn.Module):
    def __init__(self, dim, expansion=2):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.fc1 = nn.Linear(dim, dim * expansion)
        self.fc2 = nn.Linear(dim * expansion, dim)
        self.resweight = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        h = self.norm(x)
        h = self.fc2(F.gelu(self.fc1(h)))
        return x + self.resweight * h


class Tower(nn.Module):
    def __init__(self, n_features, n_classes, dim=24, depth=3):
        super().__init__()
        self.stem = nn.Linear(n_features, dim)
        self.blocks = nn.ModuleList([ReZeroBlock(dim) for _ in range(depth)])
        self.out = nn.Linear(dim, n_classes)

    def forward(self, x):
        x = self.stem(x)
        for blk in self.blocks:
            x = blk(x)
        return self.out(x)


def gradflow_probe():
    torch.manual_seed(3)
    model = Tower(10, 4)
    x = torch.randn(16, 10)
    y = torch.randint(0, 4, (16,))
    return model, F.cross_entropy(model(x), y)
