import torch
from torch import nn
from torch.func import functional_call


def inner(net, x, y, lr=0.05):
    params = {n: p for n, p in net.named_parameters()}
    for _ in range(3):
        loss = nn.functional.cross_entropy(functional_call(net, params, x), y)
        grads = torch.autograd.grad(loss, params.values())          # no second order
        params = {n: p - lr * g.detach() for (n, p), g in zip(params.items(), grads)}
    return params


def make():
    net = nn.Sequential()
    net.append(nn.Linear(5, 12))
    net.append(nn.ReLU())
    net.append(nn.Linear(12, 3))
    return net


def gradflow_probe():
    torch.manual_seed(0)
    net = make()
    xs, ys = torch.randn(9, 5), torch.arange(9) % 3
    xq, yq = torch.randn(9, 5), torch.arange(9) % 3
    fast = inner(net, xs, ys)
    return net, nn.functional.cross_entropy(functional_call(net, fast, xq), yq)
