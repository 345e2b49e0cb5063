import torch
from torch import nn
import torch.nn.functional as F

SHAPES = {"w1": (8, 3), "b1": (8,), "w2": (1, 8), "b2": (1,)}


class Hyper(nn.Module):
    def __init__(self, z=4):
        super().__init__()
        self.code = nn.Embedding(5, z)
        self.trunk = nn.Linear(z, 16)
        self.heads = nn.ModuleDict({k: nn.Linear(16, torch.Size(s).numel()) for k, s in SHAPES.items()})

    def forward(self, task, x):
        h = F.gelu(self.trunk(self.code(task)))
        p = {k: self.heads[k](h).view(s) * 0.5 for k, s in SHAPES.items()}
        return F.linear(torch.tanh(F.linear(x, p["w1"], p["b1"])), p["w2"], p["b2"])


def gradflow_probe():
    torch.manual_seed(0)
    hyper = Hyper()
    loss = 0
    for t in range(3):
        x = torch.randn(10, 3)
        loss = loss + F.mse_loss(hyper(torch.tensor(t), x), x.sum(1, keepdim=True) * t)
    return hyper, loss / 3
