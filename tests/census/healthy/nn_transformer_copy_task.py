import torch
import torch.nn as nn
import torch.nn.functional as F
import math


class Positional(nn.Module):
    def __init__(self, d, n=64):
        super().__init__()
        pos, i = torch.arange(n)[:, None], torch.arange(0, d, 2)
        pe = torch.zeros(n, d)
        pe[:, 0::2] = torch.sin(pos / 10000 ** (i / d))
        pe[:, 1::2] = torch.cos(pos / 10000 ** (i / d))
        self.register_buffer("pe", pe)

    def forward(self, x):
        return x + self.pe[: x.size(1)]


class Copy(nn.Module):
    def __init__(self, v=20, d=32):
        super().__init__()
        self.d = d
        self.embed = nn.Embedding(v, d)
        self.pos = Positional(d)
        self.transformer = nn.Transformer(d, 4, 2, 2, 64, dropout=0.0, batch_first=True)
        self.generator = nn.Linear(d, v)

    def forward(self, src, tgt):
        mask = nn.Transformer.generate_square_subsequent_mask(tgt.size(1))
        e = lambda t: self.pos(self.embed(t) * math.sqrt(self.d))
        return self.generator(self.transformer(e(src), e(tgt), tgt_mask=mask))


def gradflow_probe():
    torch.manual_seed(0)
    model = Copy()
    for p in model.parameters():
        if p.dim() > 1:
            nn.init.xavier_uniform_(p)
    src = torch.randint(1, 20, (4, 9))
    tgt = torch.cat([torch.zeros(4, 1, dtype=torch.long), src], 1)
    return model, F.cross_entropy(model(src, tgt[:, :-1]).transpose(1, 2), tgt[:, 1:], label_smoothing=0.1)
