import torch
import torch.nn as nn
import torch.nn.functional as F


class NTM(nn.Module):
    def __init__(self, i=6, h=24, N=8, M=10):
        super().__init__()
        self.memory0 = nn.Parameter(torch.randn(N, M) * 0.1)
        self.w0 = nn.Parameter(torch.zeros(N))
        self.controller = nn.LSTMCell(i + M, h)
        self.h0 = nn.Parameter(torch.zeros(1, h))
        self.heads = nn.Linear(h, 2 * (M + 1) + 2 * M)
        self.out = nn.Linear(h + M, i)
        self.M = M

    def address(self, mem, key, beta):
        sim = F.cosine_similarity(mem, key.unsqueeze(1), dim=-1)
        return torch.softmax(F.softplus(beta) * sim, -1)

    def forward(self, x):
        B, M = x.size(0), self.M
        mem = self.memory0.expand(B, -1, -1)
        read = torch.einsum("n,bnm->bm", self.w0.softmax(0), mem)
        h, c = self.h0.expand(B, -1), torch.zeros(B, self.h0.size(1))
        ys = []
        for t in range(x.size(1)):
            h, c = self.controller(torch.cat([x[:, t], read], 1), (h, c))
            rk, rb, wk, wb, erase, add = self.heads(h).split([M, 1, M, 1, M, M], 1)
            w = self.address(mem, wk, wb).unsqueeze(2)
            mem = mem * (1 - w * erase.sigmoid().unsqueeze(1)) + w * add.unsqueeze(1)
            read = torch.einsum("bn,bnm->bm", self.address(mem, rk, rb), mem)
            ys.append(self.out(torch.cat([h, read], 1)))
        return torch.stack(ys, 1)


def gradflow_probe():
    torch.manual_seed(0)
    ntm = NTM()
    bits = (torch.rand(4, 8, 6) < 0.5).float()
    return ntm, F.binary_cross_entropy_with_logits(ntm(bits), bits.flip(1))
