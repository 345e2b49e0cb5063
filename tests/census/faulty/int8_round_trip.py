import torch
from torch import nn


class Int8Cache(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.k = nn.Linear(d, d)
        self.v = nn.Linear(d, d)
        self.q = nn.Linear(d, d)

    @staticmethod
    def pack(t):
        s = t.abs().amax(-1, keepdim=True) / 127
        return (t / s).to(torch.int8), s

    def forward(self, x):
        packed, s = self.pack(self.k(x))
        k = packed.float() * s.detach()
        w = (self.q(x) @ k.transpose(-1, -2)).softmax(-1)
        return w @ self.v(x)


def gradflow_probe():
    torch.manual_seed(0)
    net = Int8Cache()
    x = torch.randn(3, 5, 8)
    return net, nn.functional.mse_loss(net(x), x)
