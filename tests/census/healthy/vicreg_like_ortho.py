import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.parametrizations import spectral_norm


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(10, 24)
        self.dec = spectral_norm(nn.Linear(24, 10))
        self.gain = nn.Parameter(torch.ones(()))

    def forward(self, x):
        return self.gain * self.dec(torch.tanh(self.enc(x)))


def gradflow_probe():
    torch.manual_seed(0)
    net = Net()
    x = torch.randn(32, 10)
    w = net.enc.weight
    ortho = (w.t() @ w - torch.eye(10)).pow(2).sum()
    return net, F.mse_loss(net(x), x) + 1e-3 * ortho
