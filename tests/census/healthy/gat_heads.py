import torch
import torch.nn as nn
import torch.nn.functional as F


class GATLayer(nn.Module):
    def __init__(self, i, o, heads=2):
        super().__init__()
        self.heads, self.o = heads, o
        self.lin = nn.Linear(i, heads * o, bias=False)
        self.att_src = nn.Parameter(torch.randn(heads, o) * 0.3)
        self.att_dst = nn.Parameter(torch.randn(heads, o) * 0.3)
        self.bias = nn.Parameter(torch.zeros(heads * o))

    def forward(self, x, adj):
        h = self.lin(x).view(-1, self.heads, self.o)
        s = (h * self.att_src).sum(-1)
        d = (h * self.att_dst).sum(-1)
        e = F.leaky_relu(d[:, None] + s[None], 0.2).masked_fill(~adj[..., None], float("-inf"))
        a = e.softmax(1)
        return torch.einsum("ijh,jho->iho", a, h).flatten(1) + self.bias


class GAT(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1, self.l2 = GATLayer(10, 8), GATLayer(16, 3, heads=1)

    def forward(self, x, adj):
        return self.l2(F.elu(self.l1(x, adj)), adj)


def gradflow_probe():
    torch.manual_seed(0)
    adj = (torch.rand(20, 20) < 0.25) | torch.eye(20, dtype=torch.bool)
    net = GAT()
    return net, F.cross_entropy(net(torch.randn(20, 10), adj), torch.randint(0, 3, (20,)))
