import torch
from torch import nn


def init(d_in, d, d_out):
    p = nn.ParameterDict()
    p["w_in"] = nn.Parameter(torch.randn(d_in, d) / d_in ** 0.5)
    p["w1"] = nn.Parameter(torch.randn(d, 2 * d) / d ** 0.5)
    p["b1"] = nn.Parameter(torch.zeros(2 * d))
    p["w2"] = nn.Parameter(torch.randn(2 * d, d) / (2 * d) ** 0.5)
    p["scale"] = nn.Parameter(torch.zeros(1))
    p["w_out"] = nn.Parameter(torch.randn(d, d_out) / d ** 0.5)
    return p


def apply(p, x):
    h = x @ p["w_in"]
    h = h + p["scale"] * (torch.relu(h @ p["w1"] + p["b1"]) @ p["w2"])
    return h @ p["w_out"]


def gradflow_probe():
    torch.manual_seed(0)
    p = init(5, 8, 3)
    x = torch.randn(12, 5)
    return p, nn.functional.cross_entropy(apply(p, x), torch.arange(12) % 3)
