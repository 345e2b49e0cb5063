import torch
from torch import nn


class DLRM(nn.Module):
    def __init__(self, sizes=(1000, 50, 7), d=4):
        super().__init__()
        self.tables = nn.ModuleList(nn.EmbeddingBag(n, d, mode="sum", sparse=True) for n in sizes)
        self.rare = nn.Embedding(500, d, sparse=True, padding_idx=0)
        self.bottom = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, d))
        self.top = nn.Linear(d + 10, 1)

    def forward(self, dense, bags, extra):
        x = self.bottom(dense)
        vs = torch.stack([x] + [t(b) for t, b in zip(self.tables, bags)] + [self.rare(extra)], 1)
        dots = torch.bmm(vs, vs.transpose(1, 2))
        i, j = torch.triu_indices(5, 5, offset=1)
        return self.top(torch.cat([x, dots[:, i, j]], 1)).squeeze(1)


def gradflow_probe():
    torch.manual_seed(0)
    m = DLRM()
    bags = [torch.randint(0, n, (6, 3)) for n in (1000, 50, 7)]
    y = m(torch.rand(6, 3), bags, torch.tensor([0, 0, 3, 5, 0, 499]))
    return m, nn.functional.binary_cross_entropy_with_logits(y, (torch.rand(6) > 0.5).float())
