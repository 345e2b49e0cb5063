import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(6, 16)
        self.norm = nn.LayerNorm(16)
        self.fc2 = nn.Linear(16, 3)

    def forward(self, x):
        return self.fc2(torch.relu(self.norm(self.fc1(x))))


def load():
    with torch.device("meta"):
        net = Net()
    net = net.to_empty(device="cpu")
    for m in net.modules():
        if hasattr(m, "reset_parameters"):
            m.reset_parameters()
    return net


def gradflow_probe():
    torch.manual_seed(0)
    net = load()
    return net, nn.functional.cross_entropy(net(torch.randn(9, 6)), torch.arange(9) % 3)
