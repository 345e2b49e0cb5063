import torch
from torch import nn


class Deep(nn.Module):
    def __init__(self, d=32, depth=8):
        super().__init__()
        self.inp = nn.Linear(4, d)
        blocks = [nn.Sequential(nn.Linear(d, d), nn.ReLU()) for _ in range(depth)]
        self.blocks = nn.Sequential(*blocks)
        self.out = nn.Linear(d, 1)
        for p in self.blocks.parameters():
            nn.init.normal_(p, std=2.0)

    def forward(self, x):
        return self.out(self.blocks(self.inp(x)))


def gradflow_probe():
    torch.manual_seed(0)
    m = Deep()
    x = torch.randn(16, 4)
    return m, nn.functional.mse_loss(m(x), x[:, :1])
