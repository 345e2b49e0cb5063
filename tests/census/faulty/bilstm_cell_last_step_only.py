import torch
from torch import nn


class Tacotron(nn.Module):
    def __init__(self, d=8, mel=4):
        super().__init__()
        self.cell = nn.GRUCell(mel, d)
        self.mel = nn.Linear(d, mel)
        self.stop = nn.Linear(d, 1)

    def forward(self, steps, batch):
        h = torch.zeros(batch, 8)
        y = torch.zeros(batch, 4)
        mels, stops = [], []
        for _ in range(steps):
            h = self.cell(y, h)
            y = self.mel(h)
            mels.append(y)
            stops.append(torch.sigmoid(self.stop(h)))
        return torch.stack(mels, 1), torch.stack(stops, 1)


def gradflow_probe():
    torch.manual_seed(0)
    t = Tacotron()
    mels, stops = t(5, 3)
    loss = (mels - torch.randn(3, 5, 4)).abs().mean()
    return t, loss
