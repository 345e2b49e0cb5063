import torch
from torch import nn


class Emulator(nn.Module):
    def __init__(self, sizes=(10, 48, 48, 48, 48, 1)):
        super().__init__()
        self.layers = nn.ModuleList()
        for i, o in zip(sizes, sizes[1:]):
            layer = nn.Linear(i, o)
            nn.init.normal_(layer.weight, std=1e-4)
            nn.init.zeros_(layer.bias)
            self.layers.append(layer)

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = torch.relu(layer(x))
        return self.layers[-1](x)


def gradflow_probe():
    torch.manual_seed(0)
    model = Emulator()
    x = torch.randn(64, 10)
    return model, nn.functional.mse_loss(model(x), x.pow(2).sum(1, keepdim=True))
