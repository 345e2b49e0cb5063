import torch
from torch import nn


class Perception(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Linear(8, 12)
        self.seg = nn.Linear(12, 4)
        self.flow = nn.Linear(12, 2)

    def forward(self, x):
        h = torch.tanh(self.trunk(x))
        out = {}
        out["seg"] = self.seg(h)
        out["flow"] = self.flow(h)
        return out


def gradflow_probe():
    torch.manual_seed(0)
    net = Perception()
    out = net(torch.randn(6, 8))
    return net, nn.functional.cross_entropy(out["seg"], torch.arange(6) % 4)
