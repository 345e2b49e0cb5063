import torch
from torch import nn


class Snake(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.alpha = torch.ones(ch, requires_grad=True)
        self.register_buffer("eps", torch.tensor(1e-9))

    def forward(self, x):
        return x + (1.0 / (self.alpha + self.eps)) * torch.sin(x * self.alpha) ** 2


class Vocoder(nn.Sequential):
    def __init__(self):
        super().__init__(
            nn.Linear(6, 12),
            Snake(12),
            nn.Linear(12, 1),
        )


def gradflow_probe():
    torch.manual_seed(0)
    net = Vocoder()
    x = torch.randn(14, 6)
    return net, nn.functional.l1_loss(net(x), x[:, :1].sin())
