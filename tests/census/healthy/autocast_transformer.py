import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self, vocab=60, d=16):
        super().__init__()
        self.emb = nn.Embedding(vocab, d, padding_idx=0)
        self.pos = nn.Parameter(torch.randn(1, 12, d) * 0.02)
        layer = nn.TransformerEncoderLayer(d, 2, 32, dropout=0.0, batch_first=True, norm_first=True)
        self.enc = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.out = nn.Linear(d, 5)

    def forward(self, ids):
        pad = ids == 0
        h = self.emb(ids) * 4 + self.pos[:, : ids.size(1)]
        return self.out(self.enc(h, src_key_padding_mask=pad))


def gradflow_probe():
    torch.manual_seed(0)
    net = Tagger()
    ids = torch.randint(1, 60, (4, 10))
    ids[1, 7:] = 0
    ids[3, 4:] = 0
    tags = torch.randint(0, 5, (4, 10)).masked_fill(ids == 0, -100)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = net(ids)
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), tags.flatten(), ignore_index=-100)
    return net, loss
