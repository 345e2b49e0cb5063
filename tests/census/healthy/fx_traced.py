import torch
from torch import fx, nn


class Core(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(5, 10)
        self.scale = nn.Parameter(torch.ones(10))

    def forward(self, x):
        return torch.relu(self.lin(x)) * self.scale


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.core = fx.symbolic_trace(Core())
        self.head = nn.Linear(10, 2)

    def forward(self, x):
        return self.head(self.core(x))


def gradflow_probe():
    torch.manual_seed(0)
    net = Net()
    return net, nn.functional.cross_entropy(net(torch.randn(8, 5)), torch.arange(8) % 2)
