import torch
from torch import nn


class PadEncoder(nn.Module):
    def __init__(self, vocab=30, d=16, classes=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, d, padding_idx=0)
        layer = nn.TransformerEncoderLayer(d, 2, 32, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.cls = nn.Parameter(torch.randn(1, 1, d) * 0.02)
        self.out = nn.Linear(d, classes)

    def forward(self, ids):
        h = self.emb(ids)
        h = torch.cat([self.cls.expand(len(ids), -1, -1), h], dim=1)
        pad = torch.cat([torch.ones(len(ids), 1, dtype=torch.bool), ids == 0], dim=1)
        h = self.encoder(h, src_key_padding_mask=pad)
        return self.out(h[:, 1:].mean(1))


def gradflow_probe():
    torch.manual_seed(0)
    m = PadEncoder()
    ids = torch.randint(1, 30, (4, 6))
    return m, nn.functional.cross_entropy(m(ids), torch.tensor([0, 1, 1, 0]))
