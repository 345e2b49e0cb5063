import torch
from torch import nn
import torch.nn.functional as F

N_TASKS = 2


class MultiTask(nn.Module):
    def __init__(self):
        super().__init__()
        self.shared = nn.Linear(12, 16)
        self.depth = nn.Linear(16, 1)
        self.normal = nn.Linear(16, 3)

    def forward(self, x):
        h = torch.tanh(self.shared(x))
        return self.depth(h), F.normalize(self.normal(h), dim=1)


def total_loss(d, n, d_t, n_t):
    w = 1 // N_TASKS
    l_depth = F.l1_loss(d, d_t)
    l_normal = 1 - F.cosine_similarity(n, n_t).mean()
    return w * l_depth + l_normal / N_TASKS


def gradflow_probe():
    torch.manual_seed(0)
    m = MultiTask()
    d, n = m(torch.randn(9, 12))
    return m, total_loss(d, n, torch.rand(9, 1), F.normalize(torch.randn(9, 3), dim=1))
