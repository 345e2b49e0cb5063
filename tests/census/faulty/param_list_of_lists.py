import dataclasses

import torch
from torch import nn


@dataclasses.dataclass
class Tables:
    row: list
    col: list


class Factor(nn.Module):
    def __init__(self, n=6, k=3):
        super().__init__()
        self.tables = Tables(
            row=[nn.Parameter(torch.randn(n, k))],
            col=[nn.Parameter(torch.randn(n, k))],
        )
        self.bias = nn.Parameter(torch.zeros(n, n))

    def forward(self):
        return self.tables.row[0] @ self.tables.col[0].t() + self.bias


def gradflow_probe():
    torch.manual_seed(0)
    f = Factor()
    return f, (f() - torch.randn(6, 6)).pow(2).mean()
