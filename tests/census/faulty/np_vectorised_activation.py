import numpy as np
import torch
from torch import nn

leaky = np.vectorize(lambda v: v if v > 0 else 0.01 * v)


class NpAct(nn.Module):
    def forward(self, x):
        return torch.as_tensor(leaky(np.asarray(x.detach())), dtype=x.dtype)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.seq = nn.Sequential(
            nn.Linear(4, 8),
            NpAct(),
            nn.Linear(8, 1),
        )

    def forward(self, x):
        return self.seq(x)


def gradflow_probe():
    torch.manual_seed(0)
    n = Net()
    x = torch.randn(9, 4)
    return n, nn.functional.mse_loss(n(x), x[:, :1])
