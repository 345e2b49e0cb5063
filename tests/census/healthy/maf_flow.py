import torch
import torch.nn as nn
import torch.nn.functional as F


class MaskedLinear(nn.Linear):
    def __init__(self, i, o, mask):
        super().__init__(i, o)
        self.register_buffer("mask", mask)

    def forward(self, x):
        return F.linear(x, self.weight * self.mask, self.bias)


class MADE(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        deg_in, deg_h = torch.arange(1, d + 1), torch.arange(h) % (d - 1) + 1
        m1 = (deg_h[:, None] >= deg_in[None]).float()
        m2 = (deg_in[:, None] > deg_h[None]).float().repeat(2, 1)
        self.fc1 = MaskedLinear(d, h, m1)
        self.fc2 = MaskedLinear(h, 2 * d, m2)

    def forward(self, x):
        mu, log_s = self.fc2(torch.tanh(self.fc1(x))).chunk(2, -1)
        log_s = torch.tanh(log_s)
        return (x - mu) * torch.exp(-log_s), -log_s.sum(-1)


class MAF(nn.Module):
    def __init__(self, d=4, k=3):
        super().__init__()
        self.steps = nn.ModuleList(MADE(d, 16) for _ in range(k))

    def log_prob(self, x):
        total = 0
        for step in self.steps:
            x, ld = step(x)
            x = x.flip(-1)
            total = total + ld
        return total + torch.distributions.Normal(0, 1).log_prob(x).sum(-1)


def gradflow_probe():
    torch.manual_seed(0)
    flow = MAF()
    return flow, -flow.log_prob(torch.randn(64, 4) * 2 + 1).mean()
