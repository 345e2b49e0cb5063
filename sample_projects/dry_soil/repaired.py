"""The same model mended: without the cut, or with it on a copy for the log."""

import torch
from torch import nn
from torch.nn import functional as F


class WithoutDetach(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(10, 32)
        self.middle = nn.Linear(32, 32)
        self.last = nn.Linear(32, 2)

    def forward(self, x):
        h = torch.relu(self.first(x))
        h = torch.relu(self.middle(h))
        return self.last(h)


class LogsACopy(WithoutDetach):
    """Keeps the hidden values for a log. Detached, they hold no graph in memory; the loss uses the originals."""

    def forward(self, x):
        h = torch.relu(self.first(x))
        h = torch.relu(self.middle(h))
        self.logged = h.detach()
        return self.last(h)


def loss_of(model):
    x = torch.randn(16, 10)
    y = torch.randint(0, 2, (16,))
    return F.cross_entropy(model(x), y)


def gradflow_probe_without_detach():
    torch.manual_seed(0)
    model = WithoutDetach()
    return model, loss_of(model)


def gradflow_probe_logs_a_copy():
    torch.manual_seed(0)
    model = LogsACopy()
    return model, loss_of(model)
