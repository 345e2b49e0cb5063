import torch
from torch import nn
import torch.nn.functional as F


class RSSM(nn.Module):
    def __init__(self, obs=8, act=2, det=12, groups=3, classes=4):
        super().__init__()
        self.g, self.c = groups, classes
        self.cell = nn.GRUCell(groups * classes + act, det)
        self.prior = nn.Linear(det, groups * classes)
        self.post = nn.Linear(det + obs, groups * classes)

    def sample(self, logits):
        probs = 0.99 * logits.softmax(-1) + 0.01 / self.c
        idx = torch.distributions.Categorical(probs=probs).sample()
        hard = F.one_hot(idx, self.c).float()
        return hard + probs - probs.detach()

    def step(self, h, z, a, o):
        h = self.cell(torch.cat([z.flatten(1), a], -1), h)
        prior = self.prior(h).view(-1, self.g, self.c)
        post = self.post(torch.cat([h, o], -1)).view(-1, self.g, self.c)
        return h, self.sample(post), prior, post


def kl(p, q):
    lp, lq = p.log_softmax(-1), q.log_softmax(-1)
    return (lp.exp() * (lp - lq)).sum(-1).sum(-1)


class WorldModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.rssm = RSSM()
        self.encoder, self.decoder = nn.Linear(6, 8), nn.Linear(24, 6)
        self.reward = nn.Linear(24, 1)

    def loss(self, obs, act, rew):
        h, z, total = torch.zeros(obs.size(1), 12), torch.zeros(obs.size(1), 3, 4), 0
        for o, a, r in zip(obs, act, rew):
            h, z, prior, post = self.rssm.step(h, z, a, torch.tanh(self.encoder(o)))
            feat = torch.cat([h, z.flatten(1)], -1)
            dyn = kl(post.detach(), prior).clamp(min=0.01).mean()
            rep = kl(post, prior.detach()).clamp(min=0.01).mean()
            total = total + F.mse_loss(self.decoder(feat), o) + F.mse_loss(self.reward(feat).squeeze(-1), r) + 0.5 * dyn + 0.1 * rep
        return total / len(obs)


def gradflow_probe():
    torch.manual_seed(0)
    wm = WorldModel()
    return wm, wm.loss(torch.randn(4, 5, 6), torch.randn(4, 5, 2), torch.randn(4, 5))
