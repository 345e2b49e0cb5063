import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.parametrizations import weight_norm


class TemporalBlock(nn.Module):
    def __init__(self, i, o, k, dilation):
        super().__init__()
        self.pad = (k - 1) * dilation
        self.conv1 = weight_norm(nn.Conv1d(i, o, k, dilation=dilation))
        self.conv2 = weight_norm(nn.Conv1d(o, o, k, dilation=dilation))
        self.skip = nn.Conv1d(i, o, 1) if i != o else None

    def forward(self, x):
        y = F.relu(self.conv1(F.pad(x, (self.pad, 0))))
        y = F.relu(self.conv2(F.pad(y, (self.pad, 0))))
        return F.relu(y + (x if self.skip is None else self.skip(x)))


class TCN(nn.Module):
    def __init__(self, n=3, channels=(16, 16, 16, 24)):
        super().__init__()
        blocks = []
        for i, c in enumerate(channels):
            blocks.append(TemporalBlock(n if i == 0 else channels[i - 1], c, 3, 2 ** i))
        self.net = nn.Sequential(*blocks)
        self.fc = nn.Linear(channels[-1], 1)

    def forward(self, x):
        return self.fc(self.net(x)[..., -1])


def gradflow_probe():
    torch.manual_seed(0)
    model = TCN()
    return model, F.mse_loss(model(torch.randn(8, 3, 50)), torch.randn(8, 1))
