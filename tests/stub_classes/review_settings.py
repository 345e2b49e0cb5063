import json

import torch
import torch.nn as nn
import torch.nn.functional as F


class Settings:
    """Everything that a training run needs, read from the data folder."""

    def __init__(self, folder):
        self.words = json.load(open(folder + "/words.json"))
        self.stars = [line.strip() for line in open(folder + "/stars.txt")]
        self.n_words = len(self.words)
        self.n_stars = len(self.stars)
        self.word_vectors = None
        self.width = 300
        self.filter_heights = (2, 3, 4)
        self.n_filters = 200
        self.keep = 0.5


class ReviewNet(nn.Module):
    def __init__(self, settings):
        super().__init__()
        if settings.word_vectors is not None:
            self.embed = nn.Embedding.from_pretrained(settings.word_vectors, freeze=False)
        else:
            self.embed = nn.Embedding(settings.n_words, settings.width, padding_idx=0)
        self.convs = nn.ModuleList(
            nn.Conv2d(1, settings.n_filters, (height, settings.width)) for height in settings.filter_heights
        )
        self.fc = nn.Linear(settings.n_filters * len(settings.filter_heights), settings.n_stars)

    def forward(self, batch):
        ids, lengths = batch
        maps = self.embed(ids).unsqueeze(1)
        pooled = []
        for conv in self.convs:
            hidden = F.relu(conv(maps)).squeeze(3)
            pooled.append(F.max_pool1d(hidden, hidden.size(2)).squeeze(2))
        return self.fc(torch.cat(pooled, 1))
