import torch
from torch import nn


class Seq(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(15, 8)
        self.rnn = nn.RNN(8, 12, nonlinearity="relu", batch_first=True)
        self.out = nn.Linear(12, 15)

    def forward(self, ids):
        return self.out(self.rnn(self.emb(ids))[0])


def gradflow_probe():
    torch.manual_seed(0)
    m = Seq()
    ids = torch.randint(1, 15, (4, 9))
    lens = torch.tensor([9, 4, 6, 2])
    logits = m(ids)[:, :-1]
    per = nn.functional.cross_entropy(logits.transpose(1, 2), ids[:, 1:], reduction="none")
    mask = torch.arange(8) < (lens[:, None] - 1)
    loss = (per * mask).sum(1, keepdim=True) / mask.sum(1, keepdim=True)
    return m, loss.sum().reshape(1)
