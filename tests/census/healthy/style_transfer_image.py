import torch
from torch import nn
import torch.nn.functional as F


class Features(nn.Module):
    def __init__(self, taps=(1, 3)):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 6, 3, padding=1), nn.ReLU(), nn.Conv2d(6, 8, 3, padding=1), nn.ReLU())
        self.seen = {}
        for i in taps:
            self.body[i].register_forward_hook(self.keep(i))

    def keep(self, name):
        def hook(module, args, output):
            self.seen[name] = output
        return hook

    def forward(self, x):
        self.seen.clear()
        self.body(x)
        return dict(self.seen)


def gram(f):
    f = f.flatten(2)
    return f @ f.mT / f.size(-1)


class Canvas(nn.Module):
    def __init__(self, content):
        super().__init__()
        self.vgg = Features().eval()
        for p in self.vgg.parameters():
            p.requires_grad_(False)
        self.image = nn.Parameter(content + 0.1 * torch.randn_like(content))

    def forward(self, content, style):
        with torch.no_grad():
            c, s = self.vgg(content), {k: gram(v) for k, v in self.vgg(style).items()}
        y = self.vgg(self.image)
        tv = (self.image[..., 1:] - self.image[..., :-1]).abs().mean()
        return F.mse_loss(y[3], c[3]) + 10 * sum(F.mse_loss(gram(y[k]), s[k]) for k in s) + 0.01 * tv


def gradflow_probe():
    torch.manual_seed(0)
    content, style = torch.rand(1, 3, 12, 12), torch.rand(1, 3, 12, 12)
    canvas = Canvas(content)
    return canvas, canvas(content, style)
