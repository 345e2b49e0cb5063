import torch
import torch.nn as nn
import torch.nn.functional as F


class GINConv(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.eps = nn.Parameter(torch.zeros(1))
        self.mlp = nn.Sequential(nn.Linear(i, o), nn.BatchNorm1d(o), nn.ReLU(), nn.Linear(o, o))

    def forward(self, x, edge):
        agg = torch.zeros_like(x).index_add(0, edge[1], x[edge[0]])
        return self.mlp((1 + self.eps) * x + agg)


class GIN(nn.Module):
    def __init__(self, layers=3, d=16):
        super().__init__()
        self.convs = nn.ModuleList()
        for k in range(layers):
            self.convs.append(GINConv(7 if k == 0 else d, d))
        self.readout = nn.Linear(d, 2)

    def forward(self, x, edge, batch, graphs):
        for conv in self.convs:
            x = F.relu(conv(x, edge))
        return self.readout(torch.zeros(graphs, x.size(1)).index_add(0, batch, x))


def gradflow_probe():
    torch.manual_seed(0)
    x = F.one_hot(torch.randint(0, 7, (36,)), 7).float()
    batch = torch.arange(36) // 9
    edge = torch.randint(0, 9, (2, 100)) + 9 * torch.randint(0, 4, (100,))
    net = GIN()
    return net, F.cross_entropy(net(x, edge, batch, 4), torch.tensor([0, 1, 0, 1]))
