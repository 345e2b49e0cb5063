import torch
from torch import nn


class ImageMeta(nn.Module):
    def __init__(self):
        super().__init__()
        self.image = nn.Linear(12, 8)
        self.meta = nn.Linear(5, 8)
        self.fuse = nn.Linear(16, 3)

    def forward(self, image, meta):
        h = torch.cat([self.image(image), self.meta(meta)], dim=1)
        return self.fuse(torch.relu(h))


def make_batch(n=10):
    image = torch.randn(n, 12)
    meta = torch.zeros(n, 5)
    return image, meta


def gradflow_probe():
    torch.manual_seed(0)
    m = ImageMeta()
    return m, nn.functional.cross_entropy(m(*make_batch()), torch.randint(0, 3, (10,)))
