import torch
import torch.nn as nn


class Backbone(nn.Module):
    def __init__(self, c=8):
        super().__init__()
        self.conv1 = nn.Conv2d(3, c, 3, stride=2)
        self.bn1 = nn.BatchNorm2d(c)
        self.conv2 = nn.Conv2d(c, c, 3, stride=2)

    def forward(self, x):
        with torch.set_grad_enabled(self.training):
            x = torch.relu(self.bn1(self.conv1(x)))
            x = self.conv2(x)
        return x.mean((2, 3))


class Finetuner(nn.Module):
    def __init__(self, n=4):
        super().__init__()
        self.backbone = Backbone()
        self.classifier = nn.Linear(8, n)

    def train(self, mode=True):
        super().train(mode)
        self.backbone.eval()   # keep BN statistics
        return self

    def forward(self, x):
        return self.classifier(self.backbone(x))


def gradflow_probe():
    torch.manual_seed(0)
    net = Finetuner().train()
    return net, nn.CrossEntropyLoss()(net(torch.randn(6, 3, 16, 16)), torch.randint(0, 4, (6,)))
