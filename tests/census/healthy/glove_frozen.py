import torch
from torch import nn


class Reviews(nn.Module):
    def __init__(self, vectors):
        super().__init__()
        self.words = nn.Embedding.from_pretrained(vectors, padding_idx=0)
        self.sinusoid = nn.Parameter(torch.randn(1, 30, vectors.size(1)), requires_grad=False)
        self.convs = nn.ModuleList(nn.Conv1d(vectors.size(1), 6, k) for k in (2, 3, 4))
        self.fc = nn.Linear(18, 2)

    def forward(self, ids):
        x = (self.words(ids) + self.sinusoid[:, : ids.size(1)]).transpose(1, 2)
        return self.fc(torch.cat([torch.relu(c(x)).amax(-1) for c in self.convs], 1))


def gradflow_probe():
    torch.manual_seed(0)
    m = Reviews(torch.randn(50, 10))
    return m, nn.functional.cross_entropy(m(torch.randint(0, 50, (6, 12))), torch.tensor([0, 1, 1, 0, 1, 0]))
