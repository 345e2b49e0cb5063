import torch
import torch.nn as nn
import torch.nn.functional as F


class Dueling(nn.Module):
    def __init__(self, n_obs=6, n_act=4):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(n_obs, 32), nn.ReLU())
        self.value = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))
        self.advantage = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, n_act))

    def forward(self, s):
        h = self.trunk(s)
        v, a = self.value(h), self.advantage(h)
        return v + a - a.mean(dim=1, keepdim=True)


def gradflow_probe():
    torch.manual_seed(0)
    online, target = Dueling(), Dueling()
    target.load_state_dict(online.state_dict())
    for p in target.parameters():
        p.requires_grad = False
    s, a, r, s2 = torch.randn(24, 6), torch.randint(0, 4, (24, 1)), torch.randn(24, 1), torch.randn(24, 6)
    best = online(s2).argmax(1, keepdim=True)
    y = r + 0.99 * target(s2).gather(1, best)
    return online, F.mse_loss(online(s).gather(1, a), y)
