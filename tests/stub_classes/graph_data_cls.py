from dataclasses import dataclass
from typing import Optional

import torch
from torch import Tensor, nn


@dataclass
class GraphBatch:
    x: Tensor            # (N, F)
    edge_index: Tensor   # (2, E)
    edge_attr: Tensor    # (E, D)
    batch: Tensor        # (N,)
    y: Optional[Tensor] = None


class GatedGCNLayer(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.A, self.B, self.C, self.D, self.E = (nn.Linear(dim, dim) for _ in range(5))
        self.bn_h, self.bn_e = nn.BatchNorm1d(dim), nn.BatchNorm1d(dim)

    def forward(self, h, e, edge_index):
        src, dst = edge_index
        e_new = self.C(e) + self.D(h)[dst] + self.E(h)[src]
        gate = torch.sigmoid(e_new)
        num = torch.zeros_like(h).index_add_(0, dst, gate * self.B(h)[src])
        den = torch.zeros_like(h).index_add_(0, dst, gate)
        h_new = self.A(h) + num / (den + 1e-6)
        return h + torch.relu(self.bn_h(h_new)), e + torch.relu(self.bn_e(e_new))


class GraphClassifier(nn.Module):
    def __init__(self, in_dim, edge_dim, hidden_dim, n_classes, n_layers=2):
        super().__init__()
        self.embed_h = nn.Linear(in_dim, hidden_dim)
        self.embed_e = nn.Linear(edge_dim, hidden_dim)
        self.layers = nn.ModuleList([GatedGCNLayer(hidden_dim) for _ in range(n_layers)])
        self.readout = nn.Linear(hidden_dim, n_classes)
        self.loss_fn = nn.CrossEntropyLoss()

    def forward(self, g: GraphBatch):
        h, e = self.embed_h(g.x), self.embed_e(g.edge_attr)
        for layer in self.layers:
            h, e = layer(h, e, g.edge_index)
        n_graphs = int(g.batch.max()) + 1
        pooled = h.new_zeros(n_graphs, h.size(1)).index_add_(0, g.batch, h)
        logits = self.readout(pooled)
        if g.y is not None:
            return self.loss_fn(logits, g.y), logits
        return logits
