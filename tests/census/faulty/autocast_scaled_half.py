import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.fc = nn.Linear(d, d)

    def forward(self, x):
        return torch.relu(self.fc(x))


class Amp(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.blocks = nn.Sequential(Block(d), Block(d))
        self.head = nn.Linear(d, 2)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.float16):
            h = self.blocks(x)
        return self.head(h.float())


def gradflow_probe():
    torch.manual_seed(0)
    m = Amp()
    y = torch.randint(0, 2, (16,))
    return m, 3e-8 * nn.functional.cross_entropy(m(torch.randn(16, 8)), y)
