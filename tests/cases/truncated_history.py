import torch
from torch import nn


class Diary(nn.Module):
    def __init__(self, width=9):
        super().__init__()
        self.read = nn.Linear(3, width)
        self.cell = nn.GRUCell(width, width)
        self.mood = nn.Linear(width, 1)
        self.register_buffer("start", torch.zeros(width))

    def forward(self, days):
        state = self.start.expand(days.shape[1], -1)
        moods = []
        for t, day in enumerate(days):
            if t % 4 == 0:
                state = state.data
            state = self.cell(self.read(day), state)
            moods.append(self.mood(state))
        return torch.cat(moods, 1)


def gradflow_probe():
    torch.manual_seed(0)
    diary = Diary()
    days = torch.randn(10, 6, 3)
    return diary, diary(days).sub(days.sum(2).t()).square().mean()
