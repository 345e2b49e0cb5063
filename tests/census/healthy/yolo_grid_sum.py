import torch
import torch.nn as nn
import torch.nn.functional as F


class TinyYolo(nn.Module):
    def __init__(self, classes=3, boxes=2):
        super().__init__()
        chans = [3, 8, 16, 32]
        self.backbone = nn.ModuleList()
        for i, o in zip(chans, chans[1:]):
            self.backbone.append(nn.Conv2d(i, o, 3, padding=1, bias=False))
            self.backbone.append(nn.BatchNorm2d(o))
        self.pred = nn.Conv2d(32, boxes * 5 + classes, 1)

    def forward(self, x):
        for conv, bn in zip(self.backbone[::2], self.backbone[1::2]):
            x = F.max_pool2d(F.leaky_relu(bn(conv(x)), 0.1), 2)
        return self.pred(x)


def yolo_loss(p, t, obj):
    xy = ((p[:, :2].sigmoid() - t[:, :2]) ** 2).sum(1)
    wh = ((p[:, 2:4] - t[:, 2:4]) ** 2).sum(1)
    conf = F.binary_cross_entropy_with_logits(p[:, 4], obj, reduction="none")
    cls = F.cross_entropy(p[:, 10:], t[:, 4].long(), reduction="none")
    return (5 * obj * (xy + wh) + torch.where(obj > 0, conf, 0.5 * conf) + obj * cls).sum() + (p[:, 5:10] ** 2).mean()


def gradflow_probe():
    torch.manual_seed(0)
    net = TinyYolo()
    p = net(torch.rand(4, 3, 48, 48))
    obj = (torch.rand(4, 6, 6) < 0.1).float()
    t = torch.cat([torch.rand(4, 4, 6, 6), torch.randint(0, 3, (4, 1, 6, 6)).float()], 1)
    return net, yolo_loss(p, t, obj)
