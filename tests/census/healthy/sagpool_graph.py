import torch
from torch import nn


class GIN(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.eps = nn.Parameter(torch.zeros(1))
        self.mlp = nn.Sequential(nn.Linear(i, o), nn.ReLU(), nn.Linear(o, o))

    def forward(self, x, adj):
        return self.mlp((1 + self.eps) * x + adj @ x)


class SAGPool(nn.Module):
    def __init__(self, d, ratio=0.5):
        super().__init__()
        self.score, self.ratio = nn.Linear(d, 1), ratio

    def forward(self, x, adj):
        s = torch.tanh(self.score(adj @ x)).squeeze(-1)
        keep = s.topk(max(1, int(self.ratio * len(s)))).indices
        return x[keep] * s[keep, None], adj[keep][:, keep]


class Net(nn.Module):
    def __init__(self, i=4, d=8):
        super().__init__()
        self.g1, self.pool, self.g2 = GIN(i, d), SAGPool(d), GIN(d, d)
        self.out = nn.Linear(2 * d, 2)

    def forward(self, graphs):
        rows = []
        for x, a in graphs:
            h = self.g1(x, a).relu()
            h, a = self.pool(h, a)
            h = self.g2(h, a).relu()
            rows.append(torch.cat([h.mean(0), h.amax(0)]))
        return self.out(torch.stack(rows))


def gradflow_probe():
    torch.manual_seed(0)
    net = Net()
    graphs = []
    for n in (6, 9, 7, 8):
        a = (torch.rand(n, n) < 0.4).float()
        graphs.append((torch.randn(n, 4), ((a + a.T) > 0).float()))
    return net, nn.functional.cross_entropy(net(graphs), torch.tensor([0, 1, 0, 1]))
