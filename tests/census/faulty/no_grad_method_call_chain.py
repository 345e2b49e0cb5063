import torch
from torch import nn


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(2, 8, batch_first=True)
        self.out = nn.Linear(8, 1)

    def forward(self, x):
        return self.out(self.rnn(x)[0][:, -1])

    def predict(self, x):
        self.eval()
        with torch.no_grad():
            y = self(x)
        self.train()
        return y


class Calibrated(nn.Module):
    def __init__(self):
        super().__init__()
        self.base = Forecaster()
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, x):
        return self.base.predict(x) * self.scale


def gradflow_probe():
    torch.manual_seed(0)
    c = Calibrated()
    x = torch.randn(6, 9, 2)
    return c, nn.functional.mse_loss(c(x), x[:, -1, :1])
