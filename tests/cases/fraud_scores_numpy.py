import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def smooth(series, width=3):
    kernel = np.ones(width) / width
    padded = np.pad(series, ((0, 0), (1, 1)), mode="edge")
    return np.stack([np.convolve(row, kernel, mode="valid") for row in padded])


def init_params(n_in, hidden, g):
    return nn.ParameterDict(
        {
            "w1": nn.Parameter(torch.randn(n_in, hidden, generator=g) / n_in**0.5),
            "b1": nn.Parameter(torch.zeros(hidden)),
            "w2": nn.Parameter(torch.randn(hidden, 8, generator=g) / hidden**0.5),
            "out": nn.Parameter(torch.randn(8, generator=g) / 8**0.5),
        }
    )


def score(params, x):
    h = F.elu(x @ params["w1"] + params["b1"])
    signal = h @ params["w2"]
    calm = torch.from_numpy(smooth(signal.detach().numpy())).float()
    return calm @ params["out"]


def gradflow_probe():
    g = torch.Generator().manual_seed(11)
    params = init_params(6, 10, g)
    x = torch.randn(20, 6, generator=g)
    is_fraud = (x[:, 0] > 0.5).float()
    return params, F.binary_cross_entropy_with_logits(score(params, x), is_fraud)
