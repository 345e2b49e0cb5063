import torch
import torch.nn as nn
import torch.nn.functional as F


class SeqRegressor(nn.Module):
    def __init__(self, n=2, h=32):
        super().__init__()
        self.h = h
        self.core = nn.LSTM(n, h, num_layers=1, batch_first=True)
        self.head = nn.Sequential(nn.LayerNorm(h), nn.Linear(h, 1))
        for n, p in self.core.named_parameters():
            p.data[self.h:2 * self.h].fill_(1.0) if "bias_ih" in n else None

    def forward(self, x):
        y, _ = self.core(x)
        return self.head(y.mean(1)).squeeze(-1)


def adding_problem(n, T):
    v, m = torch.rand(n, T), torch.zeros(n, T)
    idx = torch.rand(n, T).topk(2, 1).indices
    m.scatter_(1, idx, 1.0)
    return torch.stack([v, m], -1), (v * m).sum(1)


def gradflow_probe():
    torch.manual_seed(0)
    model = SeqRegressor()
    x, y = adding_problem(16, 100)
    return model, F.mse_loss(model(x), y)
