import torch
from torch import nn
import torch.nn.functional as F


class Choice(nn.Module):
    def __init__(self, dim, n):
        super().__init__()
        self.route = nn.Linear(dim, n)
        self.ops = nn.ModuleList([nn.Linear(dim, dim) for _ in range(n)])

    def forward(self, x, tau=1.0):
        w = F.gumbel_softmax(self.route(x), tau=tau, hard=True)
        return sum(w[:, i:i + 1] * torch.tanh(op(x)) for i, op in enumerate(self.ops))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp = nn.Linear(5, 8)
        self.choice = Choice(8, 3)
        self.out = nn.Linear(8, 2)

    def forward(self, x):
        return self.out(self.choice(torch.relu(self.inp(x))))


def gradflow_probe():
    torch.manual_seed(0)
    net = Net()
    x = torch.randn(40, 5)
    return net, F.cross_entropy(net(x), (x[:, 0] > 0).long())
