import torch
from torch import nn


class MultiHead(nn.Module):
    def __init__(self, n_tasks=3):
        super().__init__()
        self.feat = nn.Sequential(nn.Linear(9, 14), nn.SiLU())
        self.heads = nn.ModuleList(nn.Linear(14, 1) for _ in range(n_tasks))

    def forward(self, x, task):
        f = self.feat(x)
        every = torch.cat([h(f) for h in self.heads], dim=1)
        return every.gather(1, task.unsqueeze(1)).squeeze(1)


def gradflow_probe():
    torch.manual_seed(0)
    m = MultiHead()
    x = torch.randn(20, 9)
    task = torch.randint(0, 3, (20,)) % 2      # task ids of the file are 0 and 1 only
    return m, nn.functional.huber_loss(m(x, task), x.mean(1))
