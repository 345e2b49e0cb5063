import torch
from torch import nn


class ListwiseRanker(nn.Module):
    """ListNet: softmax over the documents of one query."""

    def __init__(self, n_features=8, hidden=16):
        super().__init__()
        self.hidden = nn.Linear(n_features, hidden)
        self.scorer = nn.Linear(hidden, 1)

    def forward(self, docs):
        return self.scorer(torch.tanh(self.hidden(docs))).squeeze(-1)


def listnet_loss(scores, relevance):
    return -(relevance.softmax(dim=-1) * scores.log_softmax(dim=-1)).sum(dim=-1).mean()


def gradflow_probe():
    torch.manual_seed(0)
    ranker = ListwiseRanker()
    docs = torch.randn(5, 7, 8)
    relevance = torch.randint(0, 3, (5, 7)).float()
    return ranker, listnet_loss(ranker(docs), relevance)
