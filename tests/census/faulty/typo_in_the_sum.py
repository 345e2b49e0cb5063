import torch
from torch import nn
import torch.nn.functional as F


class AgeGender(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(16, 12), nn.ReLU())
        self.age = nn.Linear(12, 1)
        self.gender = nn.Linear(12, 2)

    def forward(self, x):
        h = self.trunk(x)
        return {"age": self.age(h).squeeze(1), "gender": self.gender(h)}


def compute_loss(out, age, gender):
    loss_age = F.smooth_l1_loss(out["age"], age)
    loss_gender = F.cross_entropy(out["gender"], gender)
    return loss_gender + loss_gender


def gradflow_probe():
    torch.manual_seed(0)
    net = AgeGender()
    out = net(torch.randn(8, 16))
    return net, compute_loss(out, torch.rand(8), torch.randint(0, 2, (8,)))
