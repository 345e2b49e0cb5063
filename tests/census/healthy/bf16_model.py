import torch
from torch import nn


class Attn(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)

    def forward(self, x):
        a = (self.q(x) @ self.k(x).mT / x.size(-1) ** 0.5).softmax(-1)
        return x + a @ self.v(x)


class Net(nn.Module):
    def __init__(self, d=16):
        super().__init__()
        self.conv = nn.Conv1d(4, d, 3, padding=1)
        self.norm = nn.BatchNorm1d(d)
        self.attn = Attn(d)
        self.ln = nn.LayerNorm(d)
        self.out = nn.Linear(d, 5)

    def forward(self, x):
        h = torch.relu(self.norm(self.conv(x))).transpose(1, 2)
        return self.out(self.ln(self.attn(h)).mean(1))


def gradflow_probe():
    torch.manual_seed(0)
    net = Net().to(torch.bfloat16)
    x = torch.randn(8, 4, 12, dtype=torch.bfloat16)
    return net, nn.functional.cross_entropy(net(x).float(), torch.arange(8) % 5)
