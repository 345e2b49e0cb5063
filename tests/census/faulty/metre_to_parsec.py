import torch
from torch import nn

PARSEC = 3.0857e16


class Orbit(nn.Module):
    def __init__(self):
        super().__init__()
        self.velocity = nn.Linear(6, 3)
        self.mass = nn.Linear(6, 1)

    def forward(self, x):
        v = self.velocity(x)
        pos = v / PARSEC
        return torch.cat([pos, self.mass(x)], dim=1)


def gradflow_probe():
    torch.manual_seed(0)
    m = Orbit()
    x = torch.randn(20, 6)
    return m, nn.functional.mse_loss(m(x), torch.randn(20, 4))
