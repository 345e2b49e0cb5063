import torch
from torch import nn


class CRF(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.trans = nn.Parameter(torch.randn(k, k) * 0.1)
        self.start = nn.Parameter(torch.randn(k) * 0.1)
        self.end = nn.Parameter(torch.randn(k) * 0.1)

    def forward(self, emis, tags, mask):
        return -(self.score(emis, tags, mask) - self.partition(emis, mask)).mean()

    def score(self, e, y, m):
        s = self.start[y[:, 0]] + e[:, 0].gather(1, y[:, :1]).squeeze(1)
        for t in range(1, y.size(1)):
            s = s + (self.trans[y[:, t - 1], y[:, t]] + e[:, t].gather(1, y[:, t:t + 1]).squeeze(1)) * m[:, t]
        last = y.gather(1, m.long().sum(1, keepdim=True) - 1).squeeze(1)
        return s + self.end[last]

    def partition(self, e, m):
        a = self.start + e[:, 0]
        for t in range(1, e.size(1)):
            nxt = torch.logsumexp(a[:, :, None] + self.trans + e[:, t, None, :], dim=1)
            a = torch.where(m[:, t:t + 1].bool(), nxt, a)
        return torch.logsumexp(a + self.end, dim=1)


class Tagger(nn.Module):
    def __init__(self, v=25, d=8, k=4):
        super().__init__()
        self.emb = nn.Embedding(v, d)
        self.lstm = nn.LSTM(d, d // 2, batch_first=True, bidirectional=True)
        self.emit = nn.Linear(d, k)
        self.crf = CRF(k)

    def forward(self, ids, tags, mask):
        return self.crf(self.emit(self.lstm(self.emb(ids))[0]), tags, mask)


def gradflow_probe():
    torch.manual_seed(0)
    m = Tagger()
    mask = torch.ones(3, 7)
    mask[1, 5:] = 0
    return m, m(torch.randint(0, 25, (3, 7)), torch.randint(0, 4, (3, 7)), mask)
