import copy
import torch
from torch import nn
import torch.nn.functional as F


class Pi(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 4))

    def forward(self, o):
        return self.net(o).log_softmax(-1)


def gradflow_probe():
    torch.manual_seed(0)
    pi = Pi()
    old = copy.deepcopy(pi)
    o, a, adv = torch.randn(32, 5), torch.randint(0, 4, (32,)), torch.randn(32)
    lp = pi(o)
    with torch.no_grad():
        lp_old = old(o)
    ratio = (lp - lp_old).gather(1, a[:, None]).squeeze(1).exp()
    return pi, {"surrogate": -(ratio * adv).mean(), "kl": F.kl_div(lp, lp_old, log_target=True, reduction="batchmean")}
