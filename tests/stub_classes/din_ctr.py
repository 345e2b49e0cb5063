from typing import Dict, List, NamedTuple

import torch
from torch import nn


class SparseFeat(NamedTuple):
    name: str
    vocabulary_size: int
    embedding_dim: int = 16


class DenseFeat(NamedTuple):
    name: str
    dimension: int = 1


class Dice(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.bn = nn.BatchNorm1d(dim, affine=False)
        self.alpha = nn.Parameter(torch.zeros(dim))

    def forward(self, x):
        p = torch.sigmoid(self.bn(x))
        return p * x + (1 - p) * self.alpha * x


class LocalActivationUnit(nn.Module):
    def __init__(self, dim: int, hidden: int = 36):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4 * dim, hidden), nn.PReLU(), nn.Linear(hidden, 1))

    def forward(self, query, keys, mask):
        q = query.unsqueeze(1).expand_as(keys)
        w = self.net(torch.cat([q, keys, q - keys, q * keys], dim=-1)).squeeze(-1)
        w = w.masked_fill(~mask, 0.0)
        return torch.bmm(w.unsqueeze(1), keys).squeeze(1)


class DIN(nn.Module):
    """Deep interest network.

    sparse_feats: user features; item_feat: the feature shared by target item and history
    """

    def __init__(self, sparse_feats: List[SparseFeat], item_feat: SparseFeat, dense_feats: List[DenseFeat] = (),
                 hidden_units=(200, 80)):
        super().__init__()
        self.sparse_feats = sparse_feats
        self.dense_feats = dense_feats
        self.item_feat = item_feat
        self.embeddings = nn.ModuleDict({
            f.name: nn.Embedding(f.vocabulary_size, f.embedding_dim) for f in sparse_feats})
        self.item_emb = nn.Embedding(item_feat.vocabulary_size, item_feat.embedding_dim, padding_idx=0)
        self.attention = LocalActivationUnit(item_feat.embedding_dim)
        dim = sum(f.embedding_dim for f in sparse_feats) + 2 * item_feat.embedding_dim
        dim += sum(f.dimension for f in dense_feats)
        layers = []
        for h in hidden_units:
            layers += [nn.Linear(dim, h), Dice(h)]
            dim = h
        self.dnn = nn.Sequential(*layers, nn.Linear(dim, 1))

    def forward(self, features: Dict[str, torch.Tensor], history: torch.Tensor, target_item: torch.Tensor):
        """history: [batch, max_len] item ids, 0 is padding; target_item: [batch]"""
        embs = [self.embeddings[f.name](features[f.name]) for f in self.sparse_feats]
        dense = [features[f.name].view(-1, f.dimension) for f in self.dense_feats]
        query = self.item_emb(target_item)
        keys = self.item_emb(history)
        interest = self.attention(query, keys, history != 0)
        x = torch.cat([*embs, query, interest, *dense], dim=-1)
        return torch.sigmoid(self.dnn(x)).squeeze(-1)
