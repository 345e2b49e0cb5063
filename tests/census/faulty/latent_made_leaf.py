import torch
import torch.nn as nn


class Inverter(nn.Module):
    def __init__(self, d=6):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, d))
        self.decoder = nn.Sequential(nn.Linear(d, 16), nn.ReLU(), nn.Linear(16, 12))

    def forward(self, x):
        with torch.no_grad():
            z = self.encoder(x)
        z.requires_grad_()
        return self.decoder(z), z


def gradflow_probe():
    torch.manual_seed(0)
    net = Inverter()
    x = torch.randn(5, 12)
    rec, z = net(x)
    return net, nn.functional.mse_loss(rec, x) + 0.01 * z.pow(2).mean()
