import torch
from torch import Tensor, nn
from typing import Optional


def scatter_sum(src: Tensor, index: Tensor, dim_size: int) -> Tensor:
    out = src.new_zeros((dim_size,) + src.shape[1:])
    return out.index_add(0, index, src)


def scatter_softmax(src: Tensor, index: Tensor, dim_size: int) -> Tensor:
    mx = src.new_full((dim_size,) + src.shape[1:], float("-inf"))
    mx = mx.scatter_reduce(0, index.view(-1, 1).expand_as(src), src, reduce="amax")
    e = (src - mx[index]).exp()
    return e / (scatter_sum(e, index, dim_size)[index] + 1e-16)


class TransformerConv(nn.Module):
    def __init__(self, in_channels: int, out_channels: int, heads: int, edge_dim: int):
        super().__init__()
        self.heads, self.d = heads, out_channels // heads
        self.q = nn.Linear(in_channels, out_channels)
        self.k = nn.Linear(in_channels, out_channels)
        self.v = nn.Linear(in_channels, out_channels)
        self.e = nn.Linear(edge_dim, out_channels, bias=False)
        self.skip = nn.Linear(in_channels, out_channels)

    def forward(self, x: Tensor, edge_index: Tensor, edge_attr: Tensor) -> Tensor:
        src, dst = edge_index
        N = x.size(0)
        q = self.q(x).view(-1, self.heads, self.d)
        k = self.k(x).view(-1, self.heads, self.d)
        v = self.v(x).view(-1, self.heads, self.d)
        e = self.e(edge_attr).view(-1, self.heads, self.d)
        alpha = (q[dst] * (k[src] + e)).sum(-1) / self.d ** 0.5
        alpha = scatter_softmax(alpha, dst, N)
        out = scatter_sum(alpha.unsqueeze(-1) * (v[src] + e), dst, N)
        return out.flatten(1) + self.skip(x)


class MolGraphTransformer(nn.Module):
    """Graph transformer for molecular property prediction.

    x holds categorical atom features, one column per feature; edge_attr holds
    categorical bond features.
    """

    def __init__(
        self,
        atom_dims=(119, 5, 12, 12, 10, 6, 6, 2, 2),
        bond_dims=(5, 6, 2),
        hidden: int = 128,
        num_layers: int = 4,
        heads: int = 8,
        num_tasks: int = 12,
        dropout: float = 0.2,
    ):
        super().__init__()
        self.atom_emb = nn.ModuleList([nn.Embedding(n, hidden) for n in atom_dims])
        self.bond_emb = nn.ModuleList([nn.Embedding(n, hidden) for n in bond_dims])
        self.convs = nn.ModuleList([TransformerConv(hidden, hidden, heads, hidden) for _ in range(num_layers)])
        self.norms = nn.ModuleList([nn.BatchNorm1d(hidden) for _ in range(num_layers)])
        self.drop = nn.Dropout(dropout)
        self.readout = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, num_tasks))

    def forward(self, x: Tensor, edge_index: Tensor, edge_attr: Tensor, batch: Optional[Tensor] = None) -> Tensor:
        h = sum(emb(x[:, i]) for i, emb in enumerate(self.atom_emb))
        e = sum(emb(edge_attr[:, i]) for i, emb in enumerate(self.bond_emb))
        for conv, norm in zip(self.convs, self.norms):
            h = h + self.drop(norm(conv(h, edge_index, e)).relu())
        if batch is None:
            batch = torch.zeros(x.size(0), dtype=torch.long, device=x.device)
        num_graphs = int(batch.max()) + 1
        pooled = scatter_sum(h, batch, num_graphs)
        count = scatter_sum(torch.ones_like(h[:, :1]), batch, num_graphs)
        return self.readout(pooled / count.clamp(min=1))
