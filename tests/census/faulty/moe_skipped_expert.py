import torch
from torch import nn


class Top1(nn.Module):
    def __init__(self, d=6, n=3):
        super().__init__()
        self.gate = nn.Linear(d, n)
        self.experts = nn.ModuleList()
        for _ in range(n):
            self.experts.append(nn.Linear(d, d))
        self.gate.bias.data[1] = -60.0

    def forward(self, x):
        p = self.gate(x).softmax(-1)
        top, idx = p.topk(1, dim=-1)
        out = torch.zeros_like(x)
        for e, expert in enumerate(self.experts):
            hit = idx[:, 0] == e
            if hit.any():
                out[hit] = top[hit] * expert(x[hit])
        return out


def gradflow_probe():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 6), Top1(), nn.Linear(6, 2))
    return net, nn.functional.cross_entropy(net(torch.randn(40, 4)), torch.arange(40) % 2)
