import torch
from torch import nn
import torch.nn.functional as F


class GCN(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.lin = nn.Linear(i, o, bias=False)
        self.bias = nn.Parameter(torch.zeros(o))

    def forward(self, x, ei):
        src, dst = ei
        deg = torch.zeros(len(x)).index_add_(0, dst, torch.ones(len(dst))).clamp(min=1)
        norm = (deg[src] * deg[dst]).rsqrt()
        msg = self.lin(x)[src] * norm[:, None]
        return torch.zeros(len(x), msg.size(1)).index_add(0, dst, msg) + self.bias


class GAT(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.lin = nn.Linear(i, o, bias=False)
        self.att_src = nn.Parameter(torch.randn(o))
        self.att_dst = nn.Parameter(torch.randn(o))

    def forward(self, x, ei):
        src, dst = ei
        h = self.lin(x)
        e = F.leaky_relu((h * self.att_src).sum(-1)[src] + (h * self.att_dst).sum(-1)[dst], 0.2)
        top = torch.full((len(x),), -1e9).scatter_reduce(0, dst, e.detach(), "amax")
        w = (e - top[dst]).exp()
        den = torch.zeros(len(x)).index_add(0, dst, w) + 1e-16
        return torch.zeros_like(h).index_add(0, dst, h[src] * (w / den[dst])[:, None])


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.gcn, self.gat = GCN(5, 8), GAT(8, 8)
        self.out = nn.Linear(8, 3)

    def forward(self, x, ei):
        return self.out(F.elu(self.gat(F.elu(self.gcn(x, ei)), ei)))


def gradflow_probe():
    torch.manual_seed(0)
    x = torch.randn(9, 5)
    src, dst = torch.randint(0, 8, (2, 40))
    ei = torch.stack([src, dst])  # node 8 is alone
    net = Net()
    train = torch.tensor([True] * 6 + [False] * 3)
    y = torch.arange(9) % 3
    return net, F.cross_entropy(net(x, ei)[train], y[train])
