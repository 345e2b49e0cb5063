import torch
from torch import nn


def warm_statistics(encoder, sample):
    torch.set_grad_enabled(False)
    mean = encoder(sample).mean(0)
    return mean


class Anomaly(nn.Module):
    def __init__(self, d=9):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(d, 12), nn.Tanh(), nn.Linear(12, 4))
        self.decoder = nn.Linear(4, d)
        self.centre = None

    def forward(self, x):
        if self.centre is None:
            self.centre = warm_statistics(self.encoder, x)
        z = self.encoder(x) - self.centre
        torch.set_grad_enabled(True)
        return self.decoder(z)


def gradflow_probe():
    torch.manual_seed(7)
    model = Anomaly()
    x = torch.randn(30, 9)
    return model, ((model(x) - x) ** 2).mean()
