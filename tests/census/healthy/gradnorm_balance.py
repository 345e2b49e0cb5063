import torch
from torch import nn


class Multi(nn.Module):
    def __init__(self):
        super().__init__()
        self.shared = nn.Linear(5, 12)
        self.heads = nn.ModuleList([nn.Linear(12, 1) for _ in range(2)])
        self.w = nn.Parameter(torch.ones(2))

    def forward(self, x):
        h = torch.tanh(self.shared(x))
        return [hd(h).squeeze(1) for hd in self.heads]


def gradflow_probe():
    torch.manual_seed(0)
    m = Multi()
    x = torch.randn(30, 5)
    ys = [x[:, 0] * 10, x[:, 1].abs()]
    losses = torch.stack([(o - y).pow(2).mean() for o, y in zip(m(x), ys)])
    weighted = (m.w.detach() * losses).sum()
    norms = torch.stack([torch.autograd.grad(m.w[i] * losses[i], m.shared.weight, create_graph=True)[0].norm() for i in range(2)])
    target = (norms.mean() * (losses / losses.mean()) ** 0.5).detach()
    return m, weighted + (norms - target).abs().sum()
