import torch
from torch import nn


class Detect(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Linear(5, 8)
        self.o = nn.Linear(8, 1)
        self.register_buffer("scale", torch.tensor(1e5))

    def forward(self, x):
        z = self.o(torch.relu(self.f(x))) * self.scale
        return torch.sigmoid(z)


def gradflow_probe():
    torch.manual_seed(0)
    d = Detect()
    x = torch.randn(12, 5)
    return d, nn.functional.mse_loss(d(x), (x[:, :1] > 0).float())
