import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiTask(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(12, 32), nn.ReLU())
        self.heads = nn.ModuleDict({"age": nn.Linear(32, 1), "sex": nn.Linear(32, 2), "city": nn.Linear(32, 7)})
        self.log_vars = nn.ParameterDict({k: nn.Parameter(torch.zeros(())) for k in self.heads})

    def forward(self, x):
        h = self.trunk(x)
        return {k: head(h) for k, head in self.heads.items()}


def gradflow_probe():
    torch.manual_seed(0)
    mt = MultiTask()
    out = mt(torch.randn(32, 12))
    losses = {"age": F.mse_loss(out["age"].squeeze(1), torch.randn(32)),
              "sex": F.cross_entropy(out["sex"], torch.randint(0, 2, (32,))),
              "city": F.cross_entropy(out["city"], torch.randint(0, 7, (32,)))}
    total = sum(torch.exp(-mt.log_vars[k]) * v + mt.log_vars[k] for k, v in losses.items())
    print({k: round(v.item(), 3) for k, v in losses.items()})
    return mt, total
