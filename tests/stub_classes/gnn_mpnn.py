from typing import Optional

import torch
from torch import nn


class EdgeNetwork(nn.Module):
    def __init__(self, edge_dim, hidden):
        super().__init__()
        self.hidden = hidden
        self.net = nn.Sequential(nn.Linear(edge_dim, 32), nn.ReLU(), nn.Linear(32, hidden * hidden))

    def forward(self, h, edge_attr, src, dst):
        w = self.net(edge_attr).view(-1, self.hidden, self.hidden)
        m = torch.bmm(w, h[src].unsqueeze(-1)).squeeze(-1)
        out = torch.zeros_like(h)
        return out.index_add(0, dst, m)


class MPNN(nn.Module):
    """Message passing for molecules; node-level output pooled by mean."""

    def __init__(self, node_dim: int, edge_dim: int, hidden: int = 32, steps: int = 3, n_targets: int = 1):
        super().__init__()
        self.embed = nn.Linear(node_dim, hidden)
        self.message = EdgeNetwork(edge_dim, hidden)
        self.update = nn.GRUCell(hidden, hidden)
        self.steps = steps
        self.readout = nn.Linear(hidden, n_targets)

    def forward(self, node_feats, edge_index, edge_attr):
        h = torch.relu(self.embed(node_feats))
        src, dst = edge_index[0], edge_index[1]
        for _ in range(self.steps):
            h = self.update(self.message(h, edge_attr, src, dst), h)
        return self.readout(h.mean(dim=0))
