import torch
from torch import nn
from torch.nn.utils.parametrizations import weight_norm
import torch.nn.functional as F


class ProtoNet(nn.Module):
    def __init__(self, way=3):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 16), nn.ReLU())
        self.proj = weight_norm(nn.Linear(16, 1, bias=False), dim=None)
        self.emb = weight_norm(nn.Linear(16, 8, bias=False), dim=None)

    def forward(self, support, query):
        s = F.normalize(self.emb(self.body(support)).mean(1), dim=-1)
        q = F.normalize(self.emb(self.body(query)), dim=-1)
        return 10 * q @ s.T * self.proj(self.body(query)).sigmoid()


def gradflow_probe():
    torch.manual_seed(0)
    m = ProtoNet()
    logits = m(torch.randn(3, 5, 6), torch.randn(12, 6))
    return m, F.cross_entropy(logits, torch.arange(12) % 3)
