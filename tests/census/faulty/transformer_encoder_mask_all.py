import torch
from torch import nn


class Cls(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.emb = nn.Embedding(20, d, padding_idx=0)
        layer = nn.TransformerEncoderLayer(d, 2, 16, dropout=0.0, batch_first=True)
        self.enc = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.out = nn.Linear(d, 2)

    def forward(self, ids):
        pad = ids == 0
        h = self.enc(self.emb(ids), src_key_padding_mask=pad)
        return self.out(h[:, 0])


def gradflow_probe():
    torch.manual_seed(0)
    c = Cls()
    ids = torch.randint(1, 20, (4, 5))
    ids[2] = 0
    return c, nn.functional.cross_entropy(c(ids), torch.tensor([0, 1, 0, 1]))
