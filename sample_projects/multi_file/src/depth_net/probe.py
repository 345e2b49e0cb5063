"""The probe lives apart from the model that it checks."""

import torch
from torch.nn import functional as F

from .model import DepthNet


def gradflow_probe():
    torch.manual_seed(0)
    model = DepthNet()
    readings = torch.randn(20, 6)
    depth = torch.randn(20, 1)
    return model, F.mse_loss(model(readings), depth)
