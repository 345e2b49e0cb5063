import torch
from torch import nn


class ZeroLinear(nn.Linear):
    def reset_parameters(self):
        nn.init.zeros_(self.weight)
        nn.init.zeros_(self.bias)


class Step(nn.Module):
    def __init__(self, d, h=12):
        super().__init__()
        self.log_s = nn.Parameter(torch.zeros(d))
        self.loc = nn.Parameter(torch.zeros(d))
        self.w = nn.Parameter(torch.linalg.qr(torch.randn(d, d))[0])
        self.net = nn.Sequential(
            nn.Linear(d // 2, h),
            nn.ReLU(),
            nn.Linear(h, h),
            nn.ReLU(),
            ZeroLinear(h, d),
        )

    def forward(self, x):
        x = (x + self.loc) * self.log_s.exp()
        ld = self.log_s.sum() + torch.linalg.slogdet(self.w)[1]
        x = x @ self.w
        a, b = x.chunk(2, -1)
        log_scale, shift = self.net(a).chunk(2, -1)
        scale = torch.sigmoid(log_scale + 2)
        b = b * scale + shift
        return torch.cat([a, b], -1), ld + scale.log().sum(-1)


class Glow(nn.Module):
    def __init__(self, d=4, k=3):
        super().__init__()
        self.steps = nn.ModuleList(Step(d) for _ in range(k))

    def nll(self, x):
        ld = 0
        for s in self.steps:
            x, l = s(x)
            ld = ld + l
        return (0.5 * x.square().sum(-1) - ld).mean()


def gradflow_probe():
    torch.manual_seed(0)
    g = Glow()
    return g, g.nll(torch.randn(40, 4))
