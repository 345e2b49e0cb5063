"""Says how alike two recordings of a bird are."""

import torch
from torch import nn


class SongTwins(nn.Module):
    def __init__(self, bands, embedding_size=32):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv1d(bands, 32, 7, padding=3),
            nn.BatchNorm1d(32),
            nn.ReLU(),
            nn.AdaptiveAvgPool1d(1),
            nn.Flatten(),
            nn.Linear(32, embedding_size),
        )
        self.score = nn.Linear(embedding_size, 1)

    def forward(self, first, second):
        distance = torch.abs(self.encoder(first) - self.encoder(second))
        return torch.sigmoid(self.score(distance))
