import torch as th
import torch.nn as nn


class KeywordSpotter(nn.Module):
    """Bidirectional GRU over MFCC frames, attention pooling"""

    def __init__(self, n_mfcc: int = 40, hidden: int = 64, classes: int = 12):
        super().__init__()
        self.norm = nn.LayerNorm(n_mfcc)
        self.gru = nn.GRU(n_mfcc, hidden, num_layers=2, bidirectional=True, batch_first=True)
        self.query = nn.Parameter(th.randn(2 * hidden))
        self.out = nn.Linear(2 * hidden, classes)

    def forward(self, mfcc, lengths=None):
        h, _ = self.gru(self.norm(mfcc))
        score = h @ self.query / h.size(-1) ** 0.5
        if lengths is not None:
            pad = th.arange(h.size(1), device=h.device)[None] >= lengths[:, None]
            score = score.masked_fill(pad, -1e9)
        w = th.softmax(score, dim=1)
        return self.out(th.einsum("bt,bth->bh", w, h))
