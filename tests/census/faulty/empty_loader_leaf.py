import torch
from torch import nn


def epoch_loss(model, batches):
    total = torch.zeros((), requires_grad=True)
    for x, y in batches:
        total = total + nn.functional.mse_loss(model(x), y)
    return total


def gradflow_probe():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 6), nn.ReLU(), nn.Linear(6, 1))
    data = torch.randn(4, 3)
    batches = [(data, data[:, :1])][1:]
    return model, epoch_loss(model, batches)
