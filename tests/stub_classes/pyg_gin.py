import torch
import torch.nn as nn
import torch.nn.functional as F


def global_add_pool(x, batch, size=None):
    size = int(batch.max().item() + 1) if size is None else size
    return x.new_zeros(size, x.size(-1)).index_add(0, batch, x)


class GINConv(nn.Module):
    def __init__(self, mlp, eps=0.0):
        super().__init__()
        self.mlp = mlp
        self.eps = nn.Parameter(torch.tensor([eps]))

    def forward(self, x, edge_index):
        src, dst = edge_index
        agg = torch.zeros_like(x).index_add_(0, dst, x[src])
        return self.mlp((1 + self.eps) * x + agg)


class GINNet(nn.Module):
    """`data` is a torch_geometric batch: x (N, F), edge_index (2, E), edge_attr unused, batch (N,)"""

    def __init__(self, args):
        super().__init__()
        self.args = args
        self.num_layers = args.num_layers
        dim = args.nhid
        self.convs, self.bns = nn.ModuleList(), nn.ModuleList()
        for i in range(self.num_layers):
            inp = args.num_features if i == 0 else dim
            self.convs.append(GINConv(nn.Sequential(nn.Linear(inp, dim), nn.ReLU(), nn.Linear(dim, dim))))
            self.bns.append(nn.BatchNorm1d(dim))
        if args.pooling == 'sum':
            self.pool = global_add_pool
        else:
            raise NotImplementedError(args.pooling)
        self.lin1 = nn.Linear(dim * self.num_layers, dim)
        self.lin2 = nn.Linear(dim, args.num_classes)
        self.dropout_ratio = args.dropout_ratio

    def forward(self, data):
        x, edge_index, batch = data.x, data.edge_index, data.batch
        xs = []
        for conv, bn in zip(self.convs, self.bns):
            x = bn(F.relu(conv(x, edge_index)))
            xs.append(self.pool(x, batch))
        h = torch.cat(xs, dim=1)
        h = F.relu(self.lin1(h))
        h = F.dropout(h, p=self.dropout_ratio, training=self.training)
        return F.log_softmax(self.lin2(h), dim=-1)
