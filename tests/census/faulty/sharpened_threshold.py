import torch
import torch.nn as nn


class SoftThreshold(nn.Module):
    def __init__(self, where=0.5, sharpness=80.0):
        super().__init__()
        self.where = where
        self.sharpness = sharpness

    def forward(self, p):
        return torch.sigmoid(self.sharpness * (p - self.where))


class Binarizer(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(1, 6, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(6, 1, 1),
        )
        nn.init.constant_(self.conv[2].bias, -3.0)
        self.th = SoftThreshold()
        self.refine = nn.Conv2d(1, 1, 3, padding=1)

    def forward(self, x):
        prob = torch.sigmoid(self.conv(x))
        return self.refine(self.th(prob) + x)


def gradflow_probe():
    torch.manual_seed(0)
    net = Binarizer()
    x = torch.rand(2, 1, 12, 12)
    return net, (net(x) - (x > 0.5).float()).pow(2).mean()
