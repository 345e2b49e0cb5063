import torch
import torch.nn as nn
import torch.nn.functional as F
import math


class LoRALinear(nn.Module):
    def __init__(self, base: nn.Linear, r=4, alpha=8):
        super().__init__()
        self.base = base
        self.base.requires_grad_(False)
        self.A = nn.Parameter(torch.empty(r, base.in_features))
        self.B = nn.Parameter(torch.zeros(base.out_features, r))
        nn.init.kaiming_uniform_(self.A, a=math.sqrt(5))
        self.scaling = alpha / r

    def forward(self, x):
        return self.base(x) + (x @ self.A.t() @ self.B.t()) * self.scaling


class Net(nn.Module):
    def __init__(self, d=16):
        super().__init__()
        self.qkv = LoRALinear(nn.Linear(d, 3 * d))
        self.head = nn.Linear(d, 4)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        return self.head(F.scaled_dot_product_attention(q, k, v).mean(1))


def gradflow_probe():
    torch.manual_seed(0)
    net = Net()
    return net, F.cross_entropy(net(torch.randn(6, 9, 16)), torch.randint(0, 4, (6,)))
