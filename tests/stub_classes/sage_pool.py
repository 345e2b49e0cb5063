import torch
from torch import nn, Tensor


def scatter_mean(src: Tensor, index: Tensor, dim_size: int) -> Tensor:
    out = src.new_zeros(dim_size, src.size(1))
    out.index_add_(0, index, src)
    count = src.new_zeros(dim_size).index_add_(0, index, torch.ones_like(index, dtype=src.dtype))
    return out / count.clamp(min=1).unsqueeze(1)


class SAGEConv(nn.Module):
    def __init__(self, in_dim, out_dim):
        super().__init__()
        self.self_lin = nn.Linear(in_dim, out_dim)
        self.neigh_lin = nn.Linear(in_dim, out_dim, bias=False)

    def forward(self, x, edge_index):
        row, col = edge_index[0], edge_index[1]
        agg = scatter_mean(x[col], row, x.size(0))
        return self.self_lin(x) + self.neigh_lin(agg)


class GraphSAGE(nn.Module):
    """Graph classification. `batch` assigns each node to its graph."""

    def __init__(self, num_node_features: int, hidden_channels: int, num_classes: int, num_layers: int = 3):
        super().__init__()
        dims = [num_node_features] + [hidden_channels] * num_layers
        self.convs = nn.ModuleList(SAGEConv(i, o) for i, o in zip(dims, dims[1:]))
        self.norms = nn.ModuleList(nn.BatchNorm1d(d) for d in dims[1:])
        self.head = nn.Sequential(nn.Linear(hidden_channels, hidden_channels), nn.ReLU(),
                                  nn.Linear(hidden_channels, num_classes))

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        for conv, norm in zip(self.convs, self.norms):
            x = torch.relu(norm(conv(x, edge_index)))
        pooled = scatter_mean(x, batch, int(batch.max()) + 1)
        return self.head(pooled)
