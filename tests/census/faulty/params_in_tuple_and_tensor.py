import torch
from torch import nn


class MultiTask(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 16), nn.ELU())
        self.heads = (nn.Linear(16, 1), nn.Linear(16, 3))
        self.weights = torch.ones(2, requires_grad=True)

    def forward(self, x):
        h = self.body(x)
        return [head(h) for head in self.heads]

    def loss(self, x, y, c):
        reg, cls = self(x)
        a, b = self.weights
        return a * nn.functional.mse_loss(reg.squeeze(1), y) + b * nn.functional.cross_entropy(cls, c)


def gradflow_probe():
    torch.manual_seed(0)
    mt = MultiTask()
    return mt, mt.loss(torch.randn(10, 6), torch.randn(10), torch.randint(0, 3, (10,)))
