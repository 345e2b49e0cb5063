import torch
from torch import nn


class Denoise(nn.Module):
    def __init__(self, frames=3):
        super().__init__()
        self.heads = nn.ModuleList([nn.Conv1d(1, 1, 3, padding=1) for _ in range(frames)])
        for i, h in enumerate(self.heads):
            h.bias.data.fill_(float(5 * i))

    def forward(self, x):
        cand = torch.cat([h(x) for h in self.heads], dim=1)
        cand = torch.tanh(cand / 10)
        return cand.amin(dim=1)


def gradflow_probe():
    torch.manual_seed(0)
    net = Denoise()
    x = torch.rand(3, 1, 12)
    return net, (net(x) - x[:, 0]).pow(2).mean()
