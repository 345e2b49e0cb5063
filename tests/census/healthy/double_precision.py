import torch
from torch import nn


def gradflow_probe():
    torch.manual_seed(0)
    enc = nn.Sequential(
        nn.Linear(6, 12), nn.BatchNorm1d(12), nn.Softsign(),
        nn.Linear(12, 12), nn.BatchNorm1d(12), nn.Softsign(),
    ).double()
    model = nn.ModuleDict({"enc": enc, "readout": nn.Linear(12, 1).double()})
    x = torch.randn(30, 6, dtype=torch.float64)
    y = x.pow(2).sum(1)
    return model, nn.functional.mse_loss(model["readout"](model["enc"](x)).squeeze(1), y)
