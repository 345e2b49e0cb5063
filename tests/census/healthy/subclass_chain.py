import functools
import torch
from torch import nn


class MyLinear(nn.Linear):
    def __init__(self, i, o, gain=1.0, **kw):
        super().__init__(i, o, **kw)
        self.weight.data.mul_(gain)


class CappedLinear(MyLinear):
    def __init__(self, *args, **kw):
        super().__init__(*args, **kw)
        self.cap = nn.Parameter(torch.tensor(5.0))

    def forward(self, x):
        return self.cap * torch.tanh(super().forward(x) / self.cap)


class Plain(CappedLinear):
    pass


Small = functools.partial(MyLinear, gain=0.5)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = CappedLinear(5, 8)
        self.b = Plain(8, 8, bias=False)
        self.c = Small(8, 8)
        for i, cls in enumerate([nn.Linear, getattr(nn, "Linear")]):
            setattr(self, f"d{i}", cls(8, 8))
        self.e = (lambda n: nn.Linear(n, 2))(8)

    def forward(self, x):
        x = torch.relu(self.c(self.b(self.a(x))))
        return self.e(torch.relu(self.d1(torch.relu(self.d0(x)))))


def gradflow_probe():
    torch.manual_seed(0)
    m = Net()
    return m, nn.functional.cross_entropy(m(torch.randn(10, 5)), torch.arange(10) % 2)
