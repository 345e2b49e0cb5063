import torch
from torch import nn
from typing import Tuple


class PeepholeLSTM(nn.Module):
    def __init__(self, n: int, h: int):
        super().__init__()
        self.ih = nn.Linear(n, 4 * h)
        self.hh = nn.Linear(h, 4 * h)
        self.peep = nn.Parameter(torch.zeros(3, h))

    def forward(self, x: torch.Tensor, h: torch.Tensor, c: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
        i, f, g, o = (self.ih(x) + self.hh(h)).chunk(4, 1)
        i, f = torch.sigmoid(i + self.peep[0] * c), torch.sigmoid(f + self.peep[1] * c + 1.0)
        c = f * c + i * torch.tanh(g)
        o = torch.sigmoid(o + self.peep[2] * c)
        return o * torch.tanh(c), c


@torch.jit.script
def smooth(x, y):
    return torch.sqrt((x - y) ** 2 + 1e-3).mean()


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = torch.jit.script(PeepholeLSTM(3, 8))
        self.out = nn.Linear(8, 3)

    def forward(self, xs):
        h = c = xs.new_zeros(xs.size(1), 8)
        for x in xs:
            h, c = self.cell(x, h, c)
        return self.out(h)


def gradflow_probe():
    torch.manual_seed(0)
    model = Forecaster()
    xs = torch.randn(7, 5, 3)
    return model, smooth(model(xs[:-1]), xs[-1])
