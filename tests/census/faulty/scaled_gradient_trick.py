import torch
from torch import nn


def scale_gradient(x, scale):
    """MuZero's trick: same value, smaller gradient."""
    return x * scale + x.detach() * (1 - scale)


class Dynamics(nn.Module):
    def __init__(self, d=12):
        super().__init__()
        self.represent = nn.Linear(9, d)
        self.step = nn.Linear(d, d)
        self.value = nn.Linear(d, 1)

    def forward(self, obs):
        s = torch.tanh(self.represent(obs))
        s = scale_gradient(s, 1e-12)
        s = torch.tanh(self.step(s))
        return self.value(s)


def gradflow_probe():
    torch.manual_seed(0)
    net = Dynamics()
    return net, nn.functional.mse_loss(net(torch.randn(16, 9)), torch.randn(16, 1))
