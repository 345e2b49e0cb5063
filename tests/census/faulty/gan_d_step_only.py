import torch
from torch import nn


def mlp(*d):
    layers = []
    for a, b in zip(d, d[1:]):
        layers += [nn.Linear(a, b), nn.LeakyReLU(0.2)]
    return nn.Sequential(*layers[:-1])


def d_step(G, D, real):
    with torch.no_grad():
        fake = G(torch.randn(len(real), 4))
    return D(fake).mean() - D(real).mean()


def gradflow_probe():
    torch.manual_seed(0)
    G, D = mlp(4, 12, 6), mlp(6, 12, 1)
    return {"G": G, "D": D}, d_step(G, D, torch.randn(8, 6))
