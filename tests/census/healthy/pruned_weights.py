import torch
from torch import nn
from torch.nn.utils import prune


class Sparse(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(12, 20)
        self.fc2 = nn.Linear(20, 3)
        prune.l1_unstructured(self.fc1, "weight", amount=0.8)
        prune.ln_structured(self.fc2, "weight", amount=0.5, n=2, dim=1)

    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x)))


def gradflow_probe():
    torch.manual_seed(0)
    m = Sparse()
    return m, nn.functional.cross_entropy(m(torch.randn(10, 12)), torch.arange(10) % 3)
