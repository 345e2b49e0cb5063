import torch
from torch import nn


class DurationModel(nn.Module):
    def __init__(self, phones=20, dim=12, max_frames=8):
        super().__init__()
        self.phones = nn.Embedding(phones, dim)
        self.duration = nn.Linear(dim, 1)
        self.position = nn.Embedding(max_frames, dim)
        self.mel = nn.Linear(dim, 6)
        self.max_frames = max_frames

    def forward(self, ids):
        h = self.phones(ids)
        frames = torch.exp(self.duration(h)).clamp(max=self.max_frames - 1)
        index = frames.squeeze(-1).long()
        return self.mel(h + self.position(index))


def gradflow_probe():
    torch.manual_seed(3)
    tts = DurationModel()
    mel = tts(torch.randint(0, 20, (5, 7)))
    return tts, (mel - torch.randn(5, 7, 6)).abs().mean()
