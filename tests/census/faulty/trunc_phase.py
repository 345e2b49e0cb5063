import torch
from torch import nn


class PhaseNet(nn.Module):
    def __init__(self, n=6):
        super().__init__()
        self.delay = nn.Linear(n, 1)
        self.mix = nn.Linear(n, 4)
        self.out = nn.Linear(8, 1)

    def forward(self, x):
        d = torch.trunc(4 * torch.sigmoid(self.delay(x)))
        basis = torch.cos(d * torch.arange(1, 5) * 0.7)
        return self.out(torch.cat([basis, torch.tanh(self.mix(x))], dim=1))


def gradflow_probe():
    torch.manual_seed(0)
    m = PhaseNet()
    x = torch.randn(20, 6)
    return m, nn.functional.mse_loss(m(x), x[:, :1].sin())
