import torch
import torch.nn as nn
import torch.nn.functional as F


def weights_init(m):
    name = m.__class__.__name__
    if "Conv" in name:
        nn.init.normal_(m.weight, 0.0, 0.02)
    elif "BatchNorm" in name:
        nn.init.normal_(m.weight, 1.0, 0.02)
        nn.init.constant_(m.bias, 0)


def generator(nz=16, f=8):
    return nn.Sequential(
        nn.ConvTranspose2d(nz, f * 4, 4, 1, 0, bias=False), nn.BatchNorm2d(f * 4), nn.ReLU(True),
        nn.ConvTranspose2d(f * 4, f * 2, 4, 2, 1, bias=False), nn.BatchNorm2d(f * 2), nn.ReLU(True),
        nn.ConvTranspose2d(f * 2, 3, 4, 2, 1, bias=False), nn.Tanh(),
    )


def discriminator(f=8):
    return nn.Sequential(
        nn.Conv2d(3, f, 4, 2, 1, bias=False), nn.LeakyReLU(0.2, True),
        nn.Conv2d(f, f * 2, 4, 2, 1, bias=False), nn.BatchNorm2d(f * 2), nn.LeakyReLU(0.2, True),
        nn.Conv2d(f * 2, 1, 4, 1, 0, bias=False), nn.Flatten(0),
    )


def gradflow_probe():
    torch.manual_seed(0)
    G, D = generator().apply(weights_init), discriminator().apply(weights_init)
    real = torch.rand(8, 3, 16, 16) * 2 - 1
    fake = G(torch.randn(8, 16, 1, 1))
    bce = nn.BCEWithLogitsLoss()
    loss_d = bce(D(real), torch.ones(8)) + bce(D(fake.detach()), torch.zeros(8))
    loss_g = bce(D(fake), torch.ones(8))
    return {"G": G, "D": D}, {"d": loss_d, "g": loss_g}
