import torch
from torch import nn


class NormZoo(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv1d(2, 6, 5, padding=2)
        self.n1 = nn.BatchNorm1d(6)
        self.conv2 = nn.Conv1d(6, 6, 5, padding=2)
        self.n2 = nn.GroupNorm(6, 6)
        self.conv3 = nn.Conv1d(6, 6, 5, padding=2)
        self.n3 = nn.InstanceNorm1d(6, affine=True)
        self.lin = nn.Linear(6, 9)
        self.n4 = nn.BatchNorm1d(9)
        self.out = nn.Linear(9, 2)

    def forward(self, x):
        for conv, norm in ((self.conv1, self.n1), (self.conv2, self.n2), (self.conv3, self.n3)):
            x = nn.functional.leaky_relu(norm(conv(x)), 0.1)
        x = x.amax(dim=-1)
        return self.out(torch.relu(self.n4(self.lin(x))))


def gradflow_probe():
    torch.manual_seed(0)
    net = NormZoo()
    sig = torch.randn(12, 2, 32)
    return net, nn.functional.cross_entropy(net(sig), torch.arange(12) % 2)
