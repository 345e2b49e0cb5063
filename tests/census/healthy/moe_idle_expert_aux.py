import torch
from torch import nn


class SwitchFFN(nn.Module):
    def __init__(self, d, n_exp, hidden):
        super().__init__()
        self.router = nn.Linear(d, n_exp, bias=False)
        self.w_in = nn.Parameter(torch.randn(n_exp, d, hidden) * d ** -0.5)
        self.w_out = nn.Parameter(torch.randn(n_exp, hidden, d) * hidden ** -0.5)

    def forward(self, x):
        probs = self.router(x).softmax(-1)
        gate, idx = probs.max(-1)
        y = torch.einsum("td,tdh->th", x, self.w_in[idx]).relu()
        y = torch.einsum("th,thd->td", y, self.w_out[idx]) * gate[:, None]
        load = torch.nn.functional.one_hot(idx, probs.size(-1)).float().mean(0)
        return y, probs.size(-1) * (load * probs.mean(0)).sum()


class Model(nn.Module):
    def __init__(self, vocab=30, d=8):
        super().__init__()
        self.emb = nn.Embedding(vocab, d)
        self.ffn = SwitchFFN(d, 16, 12)
        self.lm = nn.Linear(d, vocab)

    def forward(self, ids):
        h = self.emb(ids).flatten(0, 1)
        y, aux = self.ffn(h)
        return self.lm(h + y), aux


def gradflow_probe():
    torch.manual_seed(0)
    m = Model()
    ids = torch.randint(0, 30, (2, 6))
    logits, aux = m(ids)
    return m, nn.functional.cross_entropy(logits, ids.roll(-1, 1).flatten()) + 0.01 * aux
