import torch
from torch import nn
from torch.nn.utils.parametrizations import weight_norm


class Vocoder(nn.Module):
    def __init__(self, c=6):
        super().__init__()
        self.pre = weight_norm(nn.Conv1d(4, c, 3, padding=1))
        self.gain = nn.Parameter(torch.ones(c, 1))
        self.extra = nn.Conv1d(c, c, 1)
        self.post = weight_norm(nn.Conv1d(c, 1, 3, padding=1))

    def forward(self, x):
        h = torch.nn.functional.leaky_relu(self.pre(x), 0.1)
        h = h * self.gain.data
        return torch.tanh(self.post(h))


def gradflow_probe():
    torch.manual_seed(0)
    v = Vocoder()
    y = torch.randn(3, 1, 12)
    return v, (v(torch.randn(3, 4, 12)) - y).abs().mean()
