import torch
from torch import nn


def train_in_backward(model, rate=1e-3):
    @torch.no_grad()
    def step(parameter):
        parameter.sub_(parameter.grad, alpha=rate)
        parameter.grad = None

    for parameter in model.parameters():
        parameter.register_post_accumulate_grad_hook(step)


def gradflow_probe():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(6, 9), nn.Hardswish(), nn.Linear(9, 2))
    train_in_backward(net)
    return net, nn.functional.cross_entropy(net(torch.randn(10, 6)), torch.arange(10) % 2)
