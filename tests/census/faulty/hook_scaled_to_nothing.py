import torch
from torch import nn


class DomainNet(nn.Module):
    def __init__(self, lam=1e-11):
        super().__init__()
        self.lam = lam
        self.feat = nn.Linear(8, 12)
        self.dom = nn.Linear(12, 2)

    def forward(self, x):
        f = torch.relu(self.feat(x))
        f.register_hook(lambda g: -self.lam * g)
        return self.dom(f)


def gradflow_probe():
    torch.manual_seed(0)
    net = DomainNet()
    return net, nn.functional.cross_entropy(net(torch.randn(14, 8)), torch.arange(14) % 2)
