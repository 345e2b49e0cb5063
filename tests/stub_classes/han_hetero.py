from typing import Dict, Tuple

import torch
from torch import nn, Tensor

EdgeType = Tuple[str, str, str]


class HeteroEncoder(nn.Module):
    """R-GCN over a heterogeneous graph.

    in_dims maps a node type to its width, edge_types lists (source, relation, target).
    forward(x_dict, edge_index_dict): x_dict[type] (N_type, F_type), edge_index_dict[edge type] (2, E)
    """

    def __init__(self, in_dims: Dict[str, int], edge_types: Tuple[EdgeType, ...], hidden: int = 32, out: int = 8):
        super().__init__()
        self.proj = nn.ModuleDict({t: nn.Linear(d, hidden) for t, d in in_dims.items()})
        self.rel = nn.ModuleDict({"__".join(e): nn.Linear(hidden, hidden, bias=False) for e in edge_types})
        self.edge_types = edge_types
        self.out = nn.Linear(hidden, out)

    def forward(self, x_dict: Dict[str, Tensor], edge_index_dict: Dict[EdgeType, Tensor]) -> Dict[str, Tensor]:
        h = {t: self.proj[t](x).relu() for t, x in x_dict.items()}
        agg = {t: v.clone() for t, v in h.items()}
        for e in self.edge_types:
            src, dst = edge_index_dict[e]
            agg[e[2]] = agg[e[2]].index_add(0, dst, self.rel["__".join(e)](h[e[0]][src]))
        return {t: self.out(v) for t, v in agg.items()}
