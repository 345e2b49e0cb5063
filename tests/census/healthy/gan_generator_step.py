import torch
from torch import nn


class G(nn.Module):
    def __init__(self, z=6, n=10):
        super().__init__()
        self.fc = nn.Linear(z, 16)
        self.out = nn.Linear(16, n)

    def forward(self, z):
        return torch.tanh(self.out(torch.relu(self.fc(z))))


class D(nn.Module):
    def __init__(self, n=10):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))

    def forward(self, x):
        return self.net(x)


def gradflow_probe():
    torch.manual_seed(0)
    generator, discriminator = G(), D()
    bce = nn.BCEWithLogitsLoss()
    fake = generator(torch.randn(12, 6))
    d_fake = discriminator(fake.detach())
    d_loss = bce(d_fake, torch.zeros_like(d_fake))   # used by the other optimizer
    loss_value = d_loss.item()
    g_score = discriminator(fake)
    g_loss = bce(g_score, torch.ones_like(g_score))
    return generator, g_loss
