import numpy as np
import torch
from torch import nn


class Molecule(nn.Module):
    def __init__(self, atoms=7):
        super().__init__()
        self.place = nn.Linear(4, 3)
        self.read = nn.Linear(1, 2)

    def energy(self, xyz):
        pos = xyz.detach().cpu().numpy()
        near = np.exp(-np.square(pos - pos.mean(axis=1, keepdims=True)).sum(-1) / 2)
        total = np.concatenate([near, near.copy()], axis=1).sum(axis=1, keepdims=True)
        return torch.as_tensor(np.log(total + 1), dtype=xyz.dtype)

    def forward(self, x):
        return self.read(self.energy(self.place(x)))


def gradflow_probe():
    torch.manual_seed(0)
    net = Molecule()
    return net, nn.functional.cross_entropy(net(torch.randn(6, 7, 4)), torch.arange(6) % 2)
