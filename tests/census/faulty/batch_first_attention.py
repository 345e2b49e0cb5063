import torch
import torch.nn as nn
import torch.nn.functional as F


class FrameAttention(nn.Module):
    """Sequence-first attention pooling."""

    def __init__(self, d):
        super().__init__()
        self.score = nn.Linear(d, 1)

    def forward(self, x):          # (time, batch, d)
        w = F.softmax(self.score(x), dim=0)
        return (w * x).sum(0)


class Emotion(nn.Module):
    def __init__(self, d=12):
        super().__init__()
        self.proj = nn.Linear(5, d)
        self.pool = FrameAttention(d)
        self.cls = nn.Linear(d, 4)

    def forward(self, x):
        return self.cls(self.pool(torch.tanh(self.proj(x))))


def gradflow_probe():
    torch.manual_seed(0)
    net = Emotion()
    batch = torch.randn(1, 9, 5)      # batch of one recording, batch first
    out = net(batch)
    return net, F.cross_entropy(out, torch.full((9,), 2))
