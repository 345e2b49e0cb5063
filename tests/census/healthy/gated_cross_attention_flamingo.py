import torch
from torch import nn


class GatedCrossAttention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.q = nn.Linear(dim, dim)
        self.kv = nn.Linear(dim, 2 * dim)
        self.o = nn.Linear(dim, dim)
        self.ff = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))
        self.attn_gate = nn.Parameter(torch.tensor([0.0]))
        self.ff_gate = nn.Parameter(torch.tensor([0.0]))

    def forward(self, text, media):
        q = self.q(text)
        k, v = self.kv(media).chunk(2, dim=-1)
        w = (q @ k.mT / q.size(-1) ** 0.5).softmax(-1)
        a = self.o(w @ v)
        # nothing of the pictures gets in at the beginning
        text = text + a * self.attn_gate.tanh()
        return text + self.ff(text) * self.ff_gate.tanh()


class Captioner(nn.Module):
    def __init__(self, vocab=30, dim=12):
        super().__init__()
        self.words = nn.Embedding(vocab, dim)
        self.resampler = nn.Linear(20, dim)
        self.xattn = nn.ModuleList(GatedCrossAttention(dim) for _ in range(2))
        self.head = nn.Linear(dim, vocab)

    def forward(self, ids, media):
        h, m = self.words(ids), self.resampler(media)
        for layer in self.xattn:
            h = layer(h, m)
        return self.head(h)


def gradflow_probe():
    torch.manual_seed(2)
    model = Captioner()
    ids = torch.randint(0, 30, (3, 6))
    logits = model(ids[:, :-1], torch.randn(3, 4, 20))
    return model, nn.functional.cross_entropy(logits.transpose(1, 2), ids[:, 1:])
