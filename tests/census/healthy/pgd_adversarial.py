import torch
from torch import nn
import torch.nn.functional as F


def pgd(model, x, y, eps=0.1, alpha=0.04, steps=3):
    adv = x + torch.empty_like(x).uniform_(-eps, eps)
    for _ in range(steps):
        adv = adv.detach().requires_grad_(True)
        loss = F.cross_entropy(model(adv), y)
        grad = torch.autograd.grad(loss, adv)[0]
        adv = adv + alpha * grad.sign()
        adv = torch.min(torch.max(adv, x - eps), x + eps).clamp(0, 1)
    return adv.detach()


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = nn.Conv2d(1, 6, 3)
        self.f = nn.Linear(6 * 9, 4)

    def forward(self, x):
        return self.f(F.max_pool2d(F.relu(self.c(x)), 2).flatten(1))


def gradflow_probe():
    torch.manual_seed(0)
    model = Small()
    x, y = torch.rand(8, 1, 8, 8), torch.arange(8) % 4
    model.eval()
    adv = pgd(model, x, y)
    model.train()
    clean = model(x)
    # TRADES
    loss = F.cross_entropy(clean, y) + 6 * F.kl_div(F.log_softmax(model(adv), 1), F.softmax(clean, 1), reduction="batchmean")
    return model, loss
