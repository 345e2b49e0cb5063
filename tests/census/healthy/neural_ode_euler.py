import torch
import torch.nn as nn
import torch.nn.functional as F
from dataclasses import dataclass, field


@dataclass
class Options:
    steps: int = 12
    t1: float = 1.0
    dims: list = field(default_factory=lambda: [2, 32, 32, 2])


class ODEFunc(nn.Module):
    def __init__(self, dims):
        super().__init__()
        self.net = nn.Sequential()
        for k, (a, b) in enumerate(zip(dims, dims[1:])):
            self.net.append(nn.Linear(a, b))
            if k < len(dims) - 2:
                self.net.append(nn.Softplus())

    def forward(self, t, y):
        return self.net(y ** 3)


class NODE(nn.Module):
    def __init__(self, opt):
        super().__init__()
        self.opt, self.f = opt, ODEFunc(opt.dims)

    def forward(self, y):
        h = self.opt.t1 / self.opt.steps
        path = [y]
        for k in range(self.opt.steps):
            y = y + h * self.f(k * h, y)
            path.append(y)
        return torch.stack(path)


def gradflow_probe():
    torch.manual_seed(0)
    node = NODE(Options())
    path = node(torch.randn(10, 2))
    return node, F.l1_loss(path, torch.randn_like(path))
