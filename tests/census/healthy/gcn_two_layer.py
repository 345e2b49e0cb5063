import torch
import torch.nn as nn
import torch.nn.functional as F


class GCNLayer(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(i, o))
        self.bias = nn.Parameter(torch.zeros(o))
        nn.init.xavier_uniform_(self.weight)

    def forward(self, A, X):
        return torch.sparse.mm(A, X @ self.weight) + self.bias


class GCN(nn.Module):
    def __init__(self, f, h, c):
        super().__init__()
        self.gc1 = GCNLayer(f, h)
        self.gc2 = GCNLayer(h, c)

    def forward(self, A, X):
        return self.gc2(A, F.dropout(F.relu(self.gc1(A, X)), 0.5, self.training))


def normalise(edges, n):
    A = torch.eye(n)
    A[edges[0], edges[1]] = 1
    A[edges[1], edges[0]] = 1
    d = A.sum(1).rsqrt()
    return (d[:, None] * A * d[None]).to_sparse()


def gradflow_probe():
    torch.manual_seed(0)
    n = 40
    A, X = normalise(torch.randint(0, n, (2, 80)), n), torch.rand(n, 12)
    y, labelled = torch.randint(0, 4, (n,)), torch.arange(n) < 12
    net = GCN(12, 16, 4)
    return net, F.nll_loss(F.log_softmax(net(A, X), 1)[labelled], y[labelled])
