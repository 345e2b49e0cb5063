import torch
from torch import nn


class Stack(nn.Module):
    def __init__(self, n=4, d=6):
        super().__init__()
        for i in range(n):
            setattr(self, f"layer_{i}", nn.Linear(d, d))
        self.out = nn.Linear(d, 1)
        self.n = n

    def forward(self, x):
        for i in range(1, self.n):
            x = torch.tanh(getattr(self, f"layer_{i}")(x))
        return self.out(x)


def freeze(model, prefix):
    for name, p in model.named_parameters():
        if name.startswith(prefix):
            p.requires_grad = False


def gradflow_probe():
    torch.manual_seed(0)
    s = Stack()
    freeze(s, "layer_2")
    x = torch.randn(9, 6)
    return s, nn.functional.mse_loss(s(x), x[:, :1])
