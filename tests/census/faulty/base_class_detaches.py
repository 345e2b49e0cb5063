import torch
from torch import nn


class Fusion(nn.Module):
    @staticmethod
    def fuse(main, *others):
        total = main
        for o in others:
            total = total + o.detach() * 0.5
        return total


class AudioVisual(Fusion):
    def __init__(self):
        super().__init__()
        self.audio = nn.GRU(4, 8, batch_first=True)
        self.video = nn.Sequential(nn.Flatten(), nn.Linear(27, 8), nn.ReLU())
        self.text = nn.EmbeddingBag(20, 8)
        self.head = nn.Linear(8, 2)

    def forward(self, a, v, t):
        _, h = self.audio(a)
        return self.head(self.fuse(h[0], self.video(v), self.text(t)))


def gradflow_probe():
    torch.manual_seed(0)
    m = AudioVisual()
    out = m(torch.randn(6, 5, 4), torch.randn(6, 3, 3, 3), torch.randint(0, 20, (6, 4)))
    return m, nn.functional.cross_entropy(out, torch.arange(6) % 2)
