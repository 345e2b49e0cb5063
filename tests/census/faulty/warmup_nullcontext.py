import contextlib
import torch
from torch import nn
import torch.nn.functional as F


class SpeakerNet(nn.Module):
    def __init__(self, mels=20, dim=16, speakers=7, warmup=1000):
        super().__init__()
        self.frontend = nn.Sequential(nn.Conv1d(mels, dim, 3), nn.SiLU(), nn.Conv1d(dim, dim, 3))
        self.pool = nn.Linear(dim, 1)
        self.cls = nn.Linear(dim, speakers)
        self.warmup = warmup
        self.register_buffer("step", torch.zeros((), dtype=torch.long))

    def forward(self, mel, y):
        ctx = torch.no_grad() if self.step < self.warmup else contextlib.nullcontext()
        with ctx:
            h = self.frontend(mel).transpose(1, 2)
        w = torch.softmax(self.pool(h), dim=1)
        return F.cross_entropy(self.cls((w * h).sum(1)), y)


def gradflow_probe():
    torch.manual_seed(0)
    net = SpeakerNet()
    return net, net(torch.randn(5, 20, 18), torch.randint(0, 7, (5,)))
