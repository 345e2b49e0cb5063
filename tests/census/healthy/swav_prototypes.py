import torch
from torch import nn
import torch.nn.functional as F


@torch.no_grad()
def sinkhorn(scores, eps=0.05, iters=3):
    Q = torch.exp(scores / eps).t()
    Q /= Q.sum()
    K, B = Q.shape
    for _ in range(iters):
        Q /= Q.sum(1, keepdim=True); Q /= K
        Q /= Q.sum(0, keepdim=True); Q /= B
    return (Q * B).t()


class SwAV(nn.Module):
    def __init__(self, d=8, k=6):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(10, 16), nn.ReLU())
        self.projection = nn.Sequential(nn.Linear(16, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, d))
        self.prototypes = nn.Linear(d, k, bias=False)

    def forward(self, x):
        with torch.no_grad():
            w = F.normalize(self.prototypes.weight.data.clone(), dim=1)
            self.prototypes.weight.copy_(w)
        return self.prototypes(F.normalize(self.projection(self.encoder(x)), dim=1))


def gradflow_probe():
    torch.manual_seed(0)
    net = SwAV()
    x = torch.randn(16, 10)
    a, b = net(torch.cat([x, x]) + 0.1 * torch.randn(32, 10)).chunk(2)
    qa, qb = sinkhorn(a.detach()), sinkhorn(b.detach())
    return net, -0.5 * ((qa * F.log_softmax(b / 0.1, 1)).sum(1).mean() + (qb * F.log_softmax(a / 0.1, 1)).sum(1).mean())
