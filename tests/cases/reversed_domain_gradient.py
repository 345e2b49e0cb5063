import torch
from torch import nn


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return -ctx.strength * grad, None


class DomainAdversarial(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(10, 14), nn.ELU())
        self.label = nn.Linear(14, 3)
        self.domain = nn.Sequential(nn.Linear(14, 6), nn.ELU(), nn.Linear(6, 1))

    def forward(self, x, strength=0.3):
        h = self.features(x)
        return self.label(h), self.domain(Reverse.apply(h, strength)).squeeze(1)


def gradflow_probe():
    torch.manual_seed(0)
    model = DomainAdversarial()
    labels, domains = model(torch.randn(12, 10))
    task = nn.functional.cross_entropy(labels, torch.arange(12) % 3)
    adversary = nn.functional.binary_cross_entropy_with_logits(domains, (torch.arange(12) < 6).float())
    return model, {"task": task, "adversary": adversary}
