import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(1, 24)
        self.hidden2 = nn.Linear(24, 24)
        self.out = nn.Linear(24, 1)

    def forward(self, x):
        return self.out(torch.tanh(self.hidden2(torch.tanh(self.hidden(x)))))


def adapt(model, params, x, y, lr=0.05, steps=2):
    for _ in range(steps):
        loss = F.mse_loss(functional_call(model, params, (x,)), y)
        grads = torch.autograd.grad(loss, list(params.values()), create_graph=True)
        params = {k: p - lr * g for (k, p), g in zip(params.items(), grads)}
    return params


def gradflow_probe():
    torch.manual_seed(0)
    model = Regressor()
    outer = 0.0
    for amplitude in (0.5, 1.0, 2.0):
        x = torch.rand(20, 1) * 10 - 5
        y = amplitude * torch.sin(x)
        fast = adapt(model, dict(model.named_parameters()), x[:10], y[:10])
        outer = outer + F.mse_loss(functional_call(model, fast, (x[10:],)), y[10:])
    return model, outer / 3
