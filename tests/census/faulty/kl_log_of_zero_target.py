import torch
from torch import nn


class Student(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(6, 4)
        self.t = nn.Parameter(torch.tensor(1.0))

    def forward(self, x):
        return torch.log_softmax(self.fc(x) / self.t, -1)


def kl(target, logq):
    return (target * (target.log() - logq)).sum(-1).mean()


def gradflow_probe():
    torch.manual_seed(0)
    s = Student()
    target = nn.functional.one_hot(torch.arange(8) % 4, 4).float()
    return s, kl(target, s(torch.randn(8, 6)))
