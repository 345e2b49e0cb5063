import torch
from torch import nn


class ODEFunc(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim + 1, 50), nn.Tanh(), nn.Linear(50, dim))
        self.nfe = 0

    def forward(self, t, y):
        self.nfe += 1
        tt = torch.ones_like(y[:, :1]) * t
        return self.net(torch.cat([tt, y], 1))


def rk4_step(f, t, dt, y):
    k1 = f(t, y)
    k2 = f(t + dt / 2, y + dt / 2 * k1)
    k3 = f(t + dt / 2, y + dt / 2 * k2)
    k4 = f(t + dt, y + dt * k3)
    return y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


class NeuralODE(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.func = ODEFunc(dim)

    def forward(self, y0, t):
        """
        y0: (batch, dim)
        t: (steps,) increasing times
        returns (steps, batch, dim)
        """
        ys = [y0]
        for t0, t1 in zip(t[:-1], t[1:]):
            ys.append(rk4_step(self.func, t0, t1 - t0, ys[-1]))
        return torch.stack(ys)
