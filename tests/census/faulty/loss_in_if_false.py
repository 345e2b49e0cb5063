import torch
from torch import nn


class Hp:
    use_adv = False


def total(task, adv, hp=Hp):
    loss = task
    if hp.use_adv:
        loss = loss + adv
    return loss


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(6, 8)
        self.cls = nn.Linear(8, 3)
        self.adv = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 2))

    def losses(self, x, y, d):
        h = torch.relu(self.enc(x))
        task = nn.functional.cross_entropy(self.cls(h), y)
        adv = nn.functional.cross_entropy(self.adv(h), d)
        return total(task, adv)


def gradflow_probe():
    torch.manual_seed(0)
    m = Model()
    return m, m.losses(torch.randn(8, 6), torch.arange(8) % 3, torch.arange(8) % 2)
