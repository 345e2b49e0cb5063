import torch
import torch.nn as nn
import torch.nn.functional as F


class PINN(nn.Module):
    def __init__(self, w=24, depth=4):
        super().__init__()
        dims = [2] + [w] * depth + [1]
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(dims, dims[1:]))
        for l in self.layers:
            nn.init.xavier_normal_(l.weight)
            nn.init.zeros_(l.bias)
        self.log_kappa = nn.Parameter(torch.tensor(-1.0))

    def forward(self, x, t):
        h = torch.cat([x, t], 1)
        for l in self.layers[:-1]:
            h = torch.tanh(l(h))
        return x * (1 - x) * self.layers[-1](h)


def residual(net, x, t):
    u = net(x, t)
    ut, ux = torch.autograd.grad(u.sum(), (t, x), create_graph=True)
    uxx, = torch.autograd.grad(ux.sum(), x, create_graph=True)
    return ut - net.log_kappa.exp() * uxx


def gradflow_probe():
    torch.manual_seed(0)
    net = PINN()
    x = torch.rand(64, 1, requires_grad=True)
    t = torch.rand(64, 1, requires_grad=True)
    physics = residual(net, x, t).pow(2).mean()
    x0 = torch.rand(32, 1)
    initial = F.mse_loss(net(x0, torch.zeros_like(x0)), torch.sin(torch.pi * x0))
    return net, physics + 10 * initial
