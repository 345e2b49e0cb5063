import torch
import torch.nn as nn
import torch.nn.functional as F

CFG = [8, "M", 16, "M", 32, 32, "M", 64, 64, "M"]


def make_layers(cfg, c=3):
    layers = []
    for v in cfg:
        if v == "M":
            layers.append(nn.MaxPool2d(2, 2))
        else:
            conv = nn.Conv2d(c, v, 3, padding=1)
            layers += [conv, nn.ReLU(True)]
            c = v
    return nn.Sequential(*layers)


class VGG(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = make_layers(CFG)
        self.head = nn.Sequential(nn.Linear(64 * 4, 64), nn.ReLU(True), nn.Dropout(), nn.Linear(64, 5))

    def forward(self, x):
        return self.head(self.features(x).flatten(1))


def gradflow_probe():
    torch.manual_seed(0)
    vgg = VGG().train()
    return vgg, F.cross_entropy(vgg(torch.randn(4, 3, 32, 32)), torch.tensor([0, 1, 2, 4]))
