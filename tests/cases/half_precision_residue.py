import torch
from torch import nn


class Calibrator(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = nn.Linear(8, 8)
        self.decode = nn.Linear(8, 8)

    def forward(self, x):
        h = torch.tanh(self.encode(x))
        return x + 1e-3 * self.decode(h.half().float())


def gradflow_probe():
    torch.manual_seed(0)
    model = Calibrator()
    x = torch.randn(64, 8)
    target = x + 1e-3 * torch.randn(64, 8)
    return model, nn.functional.mse_loss(model(x), target)
