import torch
from torch import nn
from torch.nn import functional as F


class Tower(nn.Module):
    def __init__(self, n_in, n_hidden, n_out, depth):
        super().__init__()
        self.depth = depth
        for k in range(depth):
            setattr(self, f"hidden{k}", nn.Linear(n_in if k == 0 else n_hidden, n_hidden))
        self.readout = nn.Linear(n_hidden, n_out)
        self.act = nn.Softplus()

    def forward(self, x):
        for k in range(self.depth):
            x = self.act(getattr(self, f"hidden{k}")(x))
        return self.readout(x)


def gradflow_probe():
    torch.manual_seed(0)
    tower = Tower(16, 64, 1, 6)
    x = torch.randn(128, 16)
    return tower, F.mse_loss(tower(x).squeeze(1), x.pow(2).sum(1).sqrt())
