import torch
from torch import nn


def make_mlp(sizes, act=nn.ReLU):
    net = nn.Sequential()
    for i, (n_in, n_out) in enumerate(zip(sizes[:-1], sizes[1:])):
        net.add_module(f"fc{i}", nn.Linear(n_in, n_out))
        if i < len(sizes) - 2:
            net.add_module(f"act{i}", act())
    return net


def gradflow_probe(seed: int = 0):
    torch.manual_seed(seed)
    net = make_mlp([20] + [64] * 12 + [3])
    features = torch.randn(64, 20)
    target = (features[:, 0] > 0).long() + (features[:, 1] > 0.5).long()
    return net, nn.functional.cross_entropy(net(features), target)
