import torch
from torch import nn


class SuccessorFeatures(nn.Module):
    def __init__(self, obs=8, d=12):
        super().__init__()
        self.phi = nn.Sequential(nn.Linear(obs, d), nn.Tanh())
        self.psi = nn.Linear(d, d)
        self.transition = nn.Linear(d, d)

    def loss(self, s, s2, done, gamma=0.97):
        f = self.phi(s)
        pred = self.psi(f)
        imagined = self.transition(f)
        live = (1.0 - done).unsqueeze(1)
        model_err = live * (imagined - self.phi(s2).detach())
        td = f.detach() + gamma * live * self.psi(self.phi(s2)).detach() - pred
        return td.pow(2).mean() + model_err.pow(2).sum(1).mean()


def gradflow_probe():
    torch.manual_seed(0)
    m = SuccessorFeatures()
    s, s2 = torch.randn(16, 8), torch.randn(16, 8)
    done = torch.ones(16)
    return m, m.loss(s, s2, done)
