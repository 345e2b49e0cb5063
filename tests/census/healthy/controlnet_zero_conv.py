import copy

import torch
from torch import nn
import torch.nn.functional as F


def zero_module(module):
    for p in module.parameters():
        p.detach().zero_()
    return module


class Backbone(nn.Module):
    def __init__(self, ch=6):
        super().__init__()
        self.inc = nn.Conv2d(3, ch, 3, padding=1)
        self.blocks = nn.ModuleList([nn.Conv2d(ch, ch, 3, padding=1) for _ in range(2)])
        self.out = nn.Conv2d(ch, 3, 1)


class ControlNet(nn.Module):
    def __init__(self, backbone, ch=6):
        super().__init__()
        self.backbone = backbone
        self.control = copy.deepcopy(backbone.blocks)
        self.joints = nn.ModuleList([zero_module(nn.Conv2d(ch, ch, 1)) for _ in range(2)])
        for p in self.backbone.parameters():
            p.requires_grad_(False)

    def forward(self, x, hint):
        h = self.backbone.inc(x)
        c = h + F.avg_pool2d(hint, 1).mean(1, keepdim=True)
        for block, twin, joint in zip(self.backbone.blocks, self.control, self.joints):
            c = F.silu(twin(c))
            h = F.silu(block(h)) + joint(c)
        return self.backbone.out(h)


def gradflow_probe():
    torch.manual_seed(0)
    model = ControlNet(Backbone())
    x = torch.randn(2, 3, 8, 8)
    return model, F.mse_loss(model(x, torch.rand(2, 3, 8, 8)), x.flip(-1))
