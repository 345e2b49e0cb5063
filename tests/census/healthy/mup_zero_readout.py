import torch
import torch.nn as nn
import torch.nn.functional as F


class Attn(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q = nn.Linear(d, d, bias=False)
        self.kv = nn.Linear(d, 2 * d, bias=False)
        self.o = nn.Linear(d, d, bias=False)
        nn.init.zeros_(self.q.weight)

    def forward(self, x):
        k, v = self.kv(x).chunk(2, -1)
        return self.o(torch.softmax(self.q(x) @ k.mT / x.size(-1), -1) @ v)


class Net(nn.Module):
    def __init__(self, v=30, d=24):
        super().__init__()
        self.emb = nn.Embedding(v, d)
        self.ln, self.attn = nn.LayerNorm(d), Attn(d)
        self.readout = nn.Linear(d, v, bias=False)

    def forward(self, ids):
        x = self.emb(ids)
        return self.readout(x + self.attn(self.ln(x)))


def gradflow_probe():
    torch.manual_seed(0)
    net = Net()
    ids = torch.randint(0, 30, (4, 10))
    return net, F.cross_entropy(net(ids).flatten(0, 1), ids.roll(-1, 1).flatten())
