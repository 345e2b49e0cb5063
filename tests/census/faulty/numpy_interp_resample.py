import numpy as np
import torch
from torch import nn


class Resampler(nn.Module):
    def __init__(self, out_len=32):
        super().__init__()
        self.out_len = out_len

    def forward(self, x):
        pos = np.linspace(0, x.shape[-1] - 1, self.out_len)
        grid = np.arange(x.shape[-1])
        arr = x.cpu().detach().numpy()
        out = np.stack([[np.interp(pos, grid, ch) for ch in s] for s in arr])
        return torch.from_numpy(out).float()


class EcgNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv1d(2, 6, 7, padding=3)
        self.bn = nn.BatchNorm1d(6)
        self.resample = Resampler()
        self.tail = nn.Sequential(nn.Conv1d(6, 6, 3), nn.ReLU(), nn.Flatten(), nn.Linear(180, 2))

    def forward(self, x):
        return self.tail(self.resample(torch.relu(self.bn(self.stem(x)))))


def gradflow_probe():
    torch.manual_seed(0)
    net = EcgNet()
    return net, nn.functional.cross_entropy(net(torch.randn(4, 2, 25)), torch.tensor([0, 1, 1, 0]))
