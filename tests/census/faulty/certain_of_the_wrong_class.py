import torch
import torch.nn.functional as F
from torch import nn


class Alarm(nn.Module):
    def __init__(self):
        super().__init__()
        self.lift = nn.Linear(5, 8)
        self.score = nn.Linear(8, 1)
        nn.init.constant_(self.score.bias, 150.0)

    def loss(self, x, y):
        logits = self.score(torch.tanh(self.lift(x))).squeeze(1)
        return F.binary_cross_entropy(torch.sigmoid(logits), y)


def gradflow_probe():
    torch.manual_seed(0)
    alarm = Alarm()
    return alarm, alarm.loss(torch.randn(10, 5), torch.zeros(10))
