import torch
from torch import nn


class HalfHead(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 16)
        self.head = nn.Linear(16, 4)

    def forward(self, x):
        h = torch.relu(self.body(x))
        h = h.half().float()
        return self.head(h)


def gradflow_probe():
    torch.manual_seed(0)
    m = HalfHead()
    logits = m(torch.randn(10, 8))
    loss = nn.functional.cross_entropy(logits, torch.arange(10) % 4)
    return m, loss * 1e-6
