import torch
from torch import nn


class PINN(nn.Module):
    def __init__(self, layers=(2, 20, 20, 20, 1)):
        super().__init__()
        self.linears = nn.ModuleList([nn.Linear(a, b) for a, b in zip(layers, layers[1:])])
        self.log_nu = nn.Parameter(torch.tensor(-4.6))
        for l in self.linears:
            nn.init.xavier_normal_(l.weight)

    def forward(self, t, x):
        h = torch.cat([t, x], 1)
        for l in self.linears[:-1]:
            h = torch.tanh(l(h))
        return self.linears[-1](h)

    def residual(self, t, x):
        t, x = t.requires_grad_(), x.requires_grad_()
        u = self(t, x)
        d = lambda y, z: torch.autograd.grad(y, z, torch.ones_like(y), create_graph=True)[0]
        u_t, u_x = d(u, t), d(u, x)
        return u_t + u * u_x - self.log_nu.exp() * d(u_x, x)


def gradflow_probe():
    torch.manual_seed(0)
    net = PINN()
    t, x = torch.rand(64, 1), torch.rand(64, 1) * 2 - 1
    x0 = torch.rand(32, 1) * 2 - 1
    u0 = -torch.sin(torch.pi * x0)
    loss = net.residual(t, x).pow(2).mean() + (net(torch.zeros_like(x0), x0) - u0).pow(2).mean()
    return net, loss
