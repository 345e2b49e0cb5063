import torch
from torch import nn


class Mlp(nn.Module):
    def __init__(self, sizes=(8, 32, 32, 32, 1)):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.apply(self.reset)

    @staticmethod
    def reset(m):
        if isinstance(m, nn.Linear):
            nn.init.normal_(m.weight, std=1e-5)
            nn.init.zeros_(m.bias)

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = torch.tanh(layer(x))
        return self.layers[-1](x)


def gradflow_probe():
    torch.manual_seed(0)
    m = Mlp()
    x = torch.randn(24, 8)
    return m, nn.functional.mse_loss(m(x), x.sum(1, keepdim=True))
