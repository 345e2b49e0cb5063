import torch
from torch import nn


class Defect(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(6, 12)
        self.fc2 = nn.Linear(12, 1)

    def forward(self, x):
        h = torch.relu(self.fc1(x))
        return torch.sigmoid(self.fc2(h).abs() + 40.0)


def gradflow_probe():
    torch.manual_seed(0)
    net = Defect()
    x = torch.rand(16, 6) * 255
    p = net(x)
    return net, nn.BCELoss()(p.squeeze(1), torch.zeros(16))
