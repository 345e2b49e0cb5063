import torch
from torch import nn


def unit(v):
    return v / torch.sqrt((v * v).sum(-1, keepdim=True))


class FaceEmbed(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(10, 6, bias=False)
        self.fc2 = nn.Linear(6, 4, bias=False)
        self.proxies = nn.Parameter(torch.randn(5, 4))

    def forward(self, x):
        z = unit(self.fc2(torch.relu(self.fc1(x))))
        return z @ nn.functional.normalize(self.proxies, dim=1).t() * 8


def gradflow_probe():
    torch.manual_seed(0)
    m = FaceEmbed()
    x = torch.randn(10, 10)
    x[3] = 0.0
    return m, nn.functional.cross_entropy(m(x), torch.arange(10) % 5)
