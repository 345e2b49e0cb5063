import torch
from torch import nn


def stop(module, args):
    return tuple(a.detach() if torch.is_tensor(a) else a for a in args)


class TwoBlocks(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = nn.Sequential(nn.Linear(4, 8), nn.SiLU())
        self.two = nn.Sequential(nn.Linear(8, 8), nn.SiLU(), nn.Linear(8, 1))
        self.two.register_forward_pre_hook(stop)

    def forward(self, x):
        return self.two(self.one(x))


def gradflow_probe():
    torch.manual_seed(0)
    t = TwoBlocks()
    x = torch.randn(9, 4)
    return t, nn.functional.l1_loss(t(x), x[:, 1:2])
