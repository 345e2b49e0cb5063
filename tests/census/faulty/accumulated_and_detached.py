import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(6, 8)
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        return self.head(torch.relu(self.enc(x)).detach())


def gradflow_probe():
    torch.manual_seed(0)
    net = Net()
    for _ in range(3):
        x = torch.randn(7, 6)
        loss = (net(x) - x.sum(1, keepdim=True)).pow(2).mean()
        loss.backward()
    return net, loss
