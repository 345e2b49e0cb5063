import torch
import torch.nn as nn
import torch.nn.functional as F


class Tagger(nn.Module):
    def __init__(self, vocab=60, d=32, layers=16):
        super().__init__()
        self.tok = nn.Embedding(vocab, d)
        self.pos = nn.Parameter(torch.randn(1, 64, d) * 0.02)
        layer = nn.TransformerEncoderLayer(d, 4, 64, dropout=0.0, batch_first=True, norm_first=False)
        self.enc = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.out = nn.Linear(d, 9)

    def forward(self, ids, mask=None):
        h = self.tok(ids) + self.pos[:, : ids.size(1)]
        return self.out(self.enc(h, src_key_padding_mask=mask))


def gradflow_probe():
    torch.manual_seed(0)
    tagger = Tagger()
    ids = torch.randint(1, 60, (4, 12))
    mask = torch.zeros(4, 12, dtype=torch.bool)
    mask[2, 8:] = True
    logits = tagger(ids, mask)
    tags = torch.randint(0, 9, (4, 12)).masked_fill(mask, -100)
    return tagger, F.cross_entropy(logits.transpose(1, 2), tags, ignore_index=-100)
