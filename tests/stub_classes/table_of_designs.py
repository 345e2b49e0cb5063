import math

import numpy as np
import torch.nn as nn


def design(**given):
    return {"stem_width": 16, "group_w": 8, **given}


designs = {
    "small_x": design(w0=24, wa=36.44, wm=2.49, depth=13),
    "large_x": design(w0=80, wa=49.56, wm=2.88, depth=23, group_w=40),
}


def widths_of(wa, w0, wm, depth, q=8):
    assert min(wa, w0) > 0 and wm > 1, "widths have to grow"
    grown = w0 + wa * np.arange(depth)
    steps = np.rint(np.log(grown / w0) / math.log(wm))
    stages, depths = np.unique(q * np.rint(w0 * wm**steps / q), return_counts=True)
    assert len(stages) == 4, "a net has four stages"
    return [int(width) for width in stages], [int(count) for count in depths]


class StagedNet(nn.Module):
    def __init__(self, cfg, in_chans=3, num_classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_chans, cfg["stem_width"], 3, stride=2, padding=1)
        before, layers = cfg["stem_width"], []
        widths, depths = widths_of(cfg["wa"], cfg["w0"], cfg["wm"], cfg["depth"])
        for width, depth in zip(widths, depths):
            width = width // cfg["group_w"] * cfg["group_w"]
            for i in range(min(depth, 2)):
                layers += [nn.Conv2d(before, width, 3, stride=2 if i == 0 else 1, padding=1), nn.ReLU()]
                before = width
        self.stages = nn.Sequential(*layers)
        self.head = nn.Linear(before, num_classes)

    def forward(self, x):
        return self.head(self.stages(self.stem(x)).mean((2, 3)))


def create(name="Small-X", num_classes=10):
    name = name.lower().replace("-", "_")
    if name not in designs.keys():
        raise KeyError("there is no design " + name)
    return StagedNet(cfg=designs[name], num_classes=num_classes)
