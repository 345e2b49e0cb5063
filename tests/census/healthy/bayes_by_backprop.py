import torch
from torch import nn
import torch.nn.functional as F


class BayesLinear(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.mu = nn.Parameter(torch.randn(o, i) * 0.1)
        self.rho = nn.Parameter(torch.full((o, i), -4.0))
        self.bias = nn.Parameter(torch.zeros(o))

    def forward(self, x):
        s = F.softplus(self.rho)
        m, v = F.linear(x, self.mu, self.bias), F.linear(x ** 2, s ** 2)
        return m + v.clamp_min(1e-10).sqrt() * torch.randn_like(m)

    def kl(self):
        s = F.softplus(self.rho)
        return (0.5 * (s ** 2 + self.mu ** 2) / 0.25 - s.log()).sum()


class BNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1, self.l2 = BayesLinear(5, 16), BayesLinear(16, 1)

    def forward(self, x):
        return self.l2(torch.relu(self.l1(x)))


def gradflow_probe():
    torch.manual_seed(0)
    n = 2000
    net = BNN()
    x = torch.randn(64, 5)
    y = x.sum(1, keepdim=True)
    elbo = F.mse_loss(net(x), y) + (net.l1.kl() + net.l2.kl()) / n
    return net, elbo
