import torch
import torch.nn as nn
import torch.nn.functional as F


class DeepFM(nn.Module):
    def __init__(self, fields=(30, 12, 8), k=6):
        super().__init__()
        offsets = torch.tensor([0, *fields[:-1]]).cumsum(0)
        self.register_buffer("offsets", offsets)
        self.linear = nn.Embedding(sum(fields), 1)
        self.embed = nn.Embedding(sum(fields), k)
        self.bias = nn.Parameter(torch.zeros(1))
        self.deep = nn.Sequential(nn.Linear(len(fields) * k, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 1))
        nn.init.xavier_uniform_(self.embed.weight)

    def forward(self, x):
        x = x + self.offsets
        e = self.embed(x)
        fm = 0.5 * (e.sum(1) ** 2 - (e ** 2).sum(1)).sum(1, keepdim=True)
        return (self.linear(x).sum(1) + self.bias + fm + self.deep(e.flatten(1))).squeeze(1)


def gradflow_probe():
    torch.manual_seed(0)
    net = DeepFM()
    x = torch.stack([torch.randint(0, n, (24,)) for n in (30, 12, 8)], 1)
    return net, F.binary_cross_entropy_with_logits(net(x), torch.randint(0, 2, (24,)).float())
