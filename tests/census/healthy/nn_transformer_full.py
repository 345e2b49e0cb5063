import math
import torch
from torch import nn


class PositionalEncoding(nn.Module):
    def __init__(self, d, n=50):
        super().__init__()
        pos, div = torch.arange(n)[:, None], torch.exp(torch.arange(0, d, 2) * (-math.log(10000.0) / d))
        pe = torch.zeros(n, d)
        pe[:, 0::2], pe[:, 1::2] = torch.sin(pos * div), torch.cos(pos * div)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return x + self.pe[: x.size(1)]


class NMT(nn.Module):
    def __init__(self, v=30, d=16):
        super().__init__()
        self.src, self.tgt = nn.Embedding(v, d), nn.Embedding(v, d)
        self.pe = PositionalEncoding(d)
        self.t = nn.Transformer(d, 2, 2, 2, 32, 0.1, batch_first=True)
        self.gen = nn.Linear(d, v)

    def forward(self, s, t):
        causal = nn.Transformer.generate_square_subsequent_mask(t.size(1))
        h = self.t(self.pe(self.src(s)), self.pe(self.tgt(t)), tgt_mask=causal, src_key_padding_mask=s == 0,
                   tgt_key_padding_mask=(t == 0).float().masked_fill(t == 0, float("-inf")), memory_key_padding_mask=s == 0)
        return self.gen(h)


def gradflow_probe():
    torch.manual_seed(0)
    m = NMT()
    s, t = torch.randint(1, 30, (3, 8)), torch.randint(1, 30, (3, 7))
    s[0, 6:] = 0; t[2, 5:] = 0
    return m, nn.functional.cross_entropy(m(s, t[:, :-1]).flatten(0, 1), t[:, 1:].flatten(), ignore_index=0)
