import torch
import torch.nn as nn


class Dice(nn.Module):
    def __init__(self, num_features, dim=2):
        super().__init__()
        assert dim in (2, 3)
        self.bn = nn.BatchNorm1d(num_features, eps=1e-9)
        self.alpha = nn.Parameter(torch.zeros((num_features,)))

    def forward(self, x):
        p = torch.sigmoid(self.bn(x))
        return self.alpha * (1 - p) * x + p * x


class DIN(nn.Module):
    """Deep interest network: the history attends to the candidate item."""

    def __init__(self, n_items, n_cates, emb_dim=16, hidden=(80, 40), max_hist=50):
        super().__init__()
        self.item = nn.Embedding(n_items, emb_dim)
        self.cate = nn.Embedding(n_cates, emb_dim)
        self.att = nn.Sequential(nn.Linear(8 * emb_dim, hidden[0]), nn.Sigmoid(), nn.Linear(hidden[0], 1))
        self.fc1, self.act1 = nn.Linear(4 * emb_dim, hidden[0]), Dice(hidden[0])
        self.fc2, self.act2 = nn.Linear(hidden[0], hidden[1]), Dice(hidden[1])
        self.out = nn.Linear(hidden[1], 1)

    def _emb(self, item, cate):
        return torch.cat([self.item(item), self.cate(cate)], dim=-1)

    def forward(self, hist_items, hist_cates, hist_mask, item, cate):
        h = self._emb(hist_items, hist_cates)              # B, L, 2E
        q = self._emb(item, cate)                          # B, 2E
        qs = q.unsqueeze(1).expand(-1, h.size(1), -1)
        w = self.att(torch.cat([qs, h, qs - h, qs * h], dim=-1)).squeeze(-1)
        w = w.masked_fill(hist_mask == 0, -2 ** 31)
        w = torch.softmax(w, dim=1)
        u = torch.bmm(w.unsqueeze(1), h).squeeze(1)
        x = self.act1(self.fc1(torch.cat([u, q], dim=1)))
        x = self.act2(self.fc2(x))
        return torch.sigmoid(self.out(x)).squeeze(-1)
