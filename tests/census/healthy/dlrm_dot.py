import torch
import torch.nn as nn
import torch.nn.functional as F


class DLRM(nn.Module):
    def __init__(self, tables=(100, 50, 20), dense=5, d=8):
        super().__init__()
        self.emb = nn.ModuleList([nn.EmbeddingBag(n, d, mode="sum") for n in tables])
        self.bot = nn.Sequential(nn.Linear(dense, 16), nn.ReLU(), nn.Linear(16, d), nn.ReLU())
        n = len(tables) + 1
        self.top = nn.Sequential(nn.Linear(d + n * (n - 1) // 2, 16), nn.ReLU(), nn.Linear(16, 1))
        for e in self.emb:
            nn.init.uniform_(e.weight, -(1 / e.num_embeddings) ** 1, 1 / e.num_embeddings)
        self.register_buffer("tri", torch.tril_indices(n, n, -1))

    def forward(self, dense, sparse):
        x = self.bot(dense)
        T = torch.stack([x] + [e(s) for e, s in zip(self.emb, sparse)], 1)
        Z = torch.bmm(T, T.transpose(1, 2))[:, self.tri[0], self.tri[1]]
        return self.top(torch.cat([x, Z], 1)).squeeze(1)


def gradflow_probe():
    torch.manual_seed(0)
    net = DLRM()
    sparse = [torch.randint(0, n, (16, 3)) for n in (100, 50, 20)]
    return net, F.binary_cross_entropy_with_logits(net(torch.rand(16, 5), sparse), torch.randint(0, 2, (16,)).float())
