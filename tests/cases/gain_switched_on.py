import torch
from torch import nn


class Equaliser(nn.Module):
    def __init__(self, bands=6):
        super().__init__()
        self.analyse = nn.Linear(12, bands)
        self.gain = torch.ones(bands)
        self.gain.requires_grad = True
        self.mix = nn.Linear(bands, 1)

    def forward(self, x):
        return self.mix(torch.tanh(self.analyse(x)) * self.gain)


def gradflow_probe():
    torch.manual_seed(0)
    model = Equaliser()
    x = torch.randn(10, 12)
    return model, nn.functional.mse_loss(model(x), x[:, :1])
