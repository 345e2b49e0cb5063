import torch
import torch.nn as nn
import torch.nn.functional as F


class AE(nn.Module):
    def __init__(self, z=16):
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv2d(1, 8, 4, 2, 1), nn.ReLU(), nn.Conv2d(8, 16, 4, 2, 1), nn.ReLU(), nn.Flatten())
        self.to_z = nn.Linear(16 * 49, z)
        self.from_z = nn.Linear(z, 16 * 49)
        self.decoder = nn.Sequential(nn.Unflatten(1, (16, 7, 7)), nn.ConvTranspose2d(16, 8, 4, 2, 1), nn.ReLU(), nn.ConvTranspose2d(8, 1, 4, 2, 1), nn.Sigmoid())

    def forward(self, x):
        return self.decoder(F.relu(self.from_z(self.to_z(self.encoder(x)))))


def gradflow_probe():
    torch.manual_seed(0)
    model = AE()
    digits = torch.rand(16, 1, 28, 28).round()
    return model, F.mse_loss(model(digits), digits)
