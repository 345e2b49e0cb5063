import torch
from torch import nn


class AttentionPool(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.query = nn.Parameter(torch.randn(1, 1, d))
        self.logit_shift = nn.Parameter(torch.zeros(1))
        self.val = nn.Linear(d, d)

    def forward(self, x, mask):
        score = (x * self.query).sum(-1) + self.logit_shift
        score = score.masked_fill(~mask, float("-inf"))
        return (score.softmax(-1).unsqueeze(-1) * self.val(x)).sum(1)


class Doc(nn.Module):
    def __init__(self, d=10):
        super().__init__()
        self.emb = nn.Embedding(40, d, padding_idx=0)
        self.pool = AttentionPool(d)
        self.out = nn.Linear(d, 2)

    def forward(self, ids):
        return self.out(self.pool(self.emb(ids), ids.ne(0)))


def gradflow_probe():
    torch.manual_seed(0)
    model = Doc()
    ids = torch.randint(1, 40, (6, 8))
    ids[0, 5:] = 0; ids[3, 2:] = 0
    return model, nn.functional.cross_entropy(model(ids), torch.tensor([0, 1, 1, 0, 1, 0]))
