import torch
import torch.nn as nn


def parse_blocks(cfg):
    blocks = []
    for line in cfg.strip().split('\n'):
        line = line.strip()
        if not line or line.startswith('#'):
            continue
        if line.startswith('['):
            blocks.append({'type': line[1:-1]})
        else:
            key, value = line.split('=')
            blocks[-1][key.strip()] = value.strip()
    return blocks


CFG = """
[conv]
filters=16
size=3
stride=2
[conv]
filters=32
size=3
stride=2
[shortcut]
from=-1
[conv]
filters=32
size=1
stride=1
[yolo]
mask=0,1,2
[route]
layers=-3
[upsample]
stride=2
[conv]
filters=24
size=1
stride=1
[yolo]
mask=3,4,5
"""


class Darknet(nn.Module):
    """Object detector built from a darknet-like description."""

    def __init__(self, num_classes=20, cfg=CFG, img_size=416):
        super().__init__()
        self.defs = parse_blocks(cfg)
        self.num_classes = num_classes
        self.layers = nn.ModuleList()
        filters = [3]
        for d in self.defs:
            kind = d['type']
            if kind == 'conv':
                out = int(d['filters'])
                k = int(d['size'])
                layer = nn.Sequential(
                    nn.Conv2d(filters[-1], out, k, int(d['stride']), k // 2, bias=False),
                    nn.BatchNorm2d(out), nn.LeakyReLU(0.1, inplace=True))
            elif kind == 'upsample':
                layer, out = nn.Upsample(scale_factor=int(d['stride'])), filters[-1]
            elif kind == 'route':
                idx = [int(i) for i in d['layers'].split(',')]
                layer, out = nn.Identity(), sum(filters[1:][i] for i in idx)
            elif kind == 'shortcut':
                layer, out = nn.Identity(), filters[-1]
            elif kind == 'yolo':
                n = len(d['mask'].split(','))
                layer, out = nn.Conv2d(filters[-1], n * (5 + num_classes), 1), filters[-1]
            else:
                raise ValueError(kind)
            self.layers.append(layer)
            filters.append(out)

    def forward(self, x):
        outputs, cache = [], []
        for d, layer in zip(self.defs, self.layers):
            kind = d['type']
            if kind in ('conv', 'upsample'):
                x = layer(x)
            elif kind == 'route':
                x = torch.cat([cache[int(i)] for i in d['layers'].split(',')], 1)
            elif kind == 'shortcut':
                x = x + cache[int(d['from'])]
            elif kind == 'yolo':
                y = layer(x)
                b, _, h, w = y.shape
                y = y.view(b, -1, 5 + self.num_classes, h, w).permute(0, 1, 3, 4, 2)
                outputs.append(y)
            cache.append(x)
        return outputs
