"""Predicts the yield of a field from ten soil readings."""

import torch
import torch.nn as nn


class SoilNet(nn.Module):
    def __init__(self, readings=10, hidden=32):
        super().__init__()
        self.first = nn.Linear(readings, hidden)
        self.middle = nn.Linear(hidden, hidden)
        self.last = nn.Linear(hidden, 1)

    def forward(self, x):
        x = torch.relu(self.first(x))
        x = torch.relu(self.middle(x))
        return self.last(x).squeeze(-1)
