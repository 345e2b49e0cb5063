import torch
from torch import nn


class Traffic(nn.Module):
    def __init__(self):
        super().__init__()
        self.count = nn.Linear(2, 4)
        self.tell = nn.Linear(4, 1)
        nn.init.uniform_(self.count.weight, 0.5, 1.5)

    def forward(self, bytes_seen):
        return self.tell(torch.atan(self.count(bytes_seen)))


def gradflow_probe():
    torch.manual_seed(0)
    net = Traffic()
    seen = 1e9 * (1 + torch.rand(16, 2))
    return net, (net(seen) - 1).square().mean()
