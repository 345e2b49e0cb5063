import torch
from torch import nn


def focal(logits, y, gamma=2.0):
    p = torch.sigmoid(logits)
    pos = (1 - p) ** gamma * torch.log(p)
    neg = p ** gamma * torch.log(1 - p)
    return -torch.where(y > 0.5, pos, neg).mean()


class Spot(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.head = nn.Conv2d(4, 1, 1)
        nn.init.constant_(self.head.bias, 25.0)

    def forward(self, x):
        return self.head(torch.relu(self.conv(x)))


def gradflow_probe():
    torch.manual_seed(0)
    s = Spot()
    x = torch.rand(2, 1, 8, 8)
    y = (torch.rand(2, 1, 6, 6) > 0.7).float()
    return s, focal(s(x), y)
