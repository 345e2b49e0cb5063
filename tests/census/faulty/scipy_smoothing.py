import numpy as np
import torch
from torch import nn


def smooth(sig, taps):
    kernel = np.ones(taps) / taps
    arr = sig.detach().cpu().numpy()
    out = np.stack([np.convolve(row, kernel, mode="same") for row in arr])
    return torch.from_numpy(out.astype(np.float32))


class TwoStage(nn.Module):
    def __init__(self):
        super().__init__()
        self.coarse = nn.Linear(32, 32)
        self.refine = nn.Sequential(nn.Linear(32, 32), nn.LeakyReLU(), nn.Linear(32, 32))

    def forward(self, x):
        return self.refine(smooth(self.coarse(x), 5))


def gradflow_probe():
    torch.manual_seed(0)
    model = TwoStage()
    x = torch.randn(8, 32)
    return model, nn.functional.huber_loss(model(x), x)
