import torch
import torch.nn as nn
import torch.nn.functional as F


class ViewField(nn.Module):
    def __init__(self, D=4, W=64, input_ch=3, input_ch_views=3, skips=(2,), use_viewdirs=False):
        super().__init__()
        self.skips, self.use_viewdirs = skips, use_viewdirs
        self.input_ch, self.input_ch_views = input_ch, input_ch_views
        self.points = nn.ModuleList(
            [nn.Linear(input_ch, W)] + [nn.Linear(W + input_ch if i in skips else W, W) for i in range(D - 1)]
        )
        self.views = nn.ModuleList([nn.Linear(input_ch_views + W, W // 2)])
        if use_viewdirs:
            self.feature = nn.Linear(W, W)
            self.alpha = nn.Linear(W, 1)
            self.rgb = nn.Linear(W // 2, 3)
        else:
            self.output = nn.Linear(W, 4)

    def forward(self, x):
        points, views = torch.split(x, [self.input_ch, self.input_ch_views], dim=-1)
        h = points
        for i, layer in enumerate(self.points):
            h = F.relu(layer(h))
            if i in self.skips:
                h = torch.cat([points, h], -1)
        if not self.use_viewdirs:
            return self.output(h)
        alpha = self.alpha(h)
        h = torch.cat([self.feature(h), views], -1)
        for layer in self.views:
            h = F.relu(layer(h))
        return torch.cat([self.rgb(h), alpha], -1)
