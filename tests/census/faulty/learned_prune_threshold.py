import torch
import torch.nn as nn
import torch.nn.functional as F


class PrunedLinear(nn.Linear):
    def __init__(self, i, o):
        super().__init__(i, o)
        self.threshold = nn.Parameter(torch.full((o, 1), 0.05))

    def forward(self, x):
        mask = torch.gt(self.weight.abs(), self.threshold).type_as(x)
        return F.linear(x, self.weight * mask, self.bias)


class PrunedMLP(nn.Sequential):
    def __init__(self, *dims):
        super().__init__()
        for i in range(len(dims) - 2):
            self.append(PrunedLinear(dims[i], dims[i + 1]))
            self.append(nn.Softplus())
        self.append(PrunedLinear(dims[-2], dims[-1]))


def gradflow_probe():
    torch.manual_seed(0)
    net = PrunedMLP(10, 20, 20, 1)
    x = torch.randn(16, 10)
    return net, F.l1_loss(net(x).squeeze(1), x.prod(1))
