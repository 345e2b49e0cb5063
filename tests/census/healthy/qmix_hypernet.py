import copy
import torch
from torch import nn
import torch.nn.functional as F


class Mixer(nn.Module):
    def __init__(self, n, s, e=6):
        super().__init__()
        self.n, self.e = n, e
        self.w1, self.b1 = nn.Linear(s, n * e), nn.Linear(s, e)
        self.w2, self.v = nn.Linear(s, e), nn.Sequential(nn.Linear(s, e), nn.ReLU(), nn.Linear(e, 1))

    def forward(self, q, s):
        h = F.elu(torch.bmm(q[:, None], self.w1(s).abs().view(-1, self.n, self.e)) + self.b1(s)[:, None])
        return (h @ self.w2(s).abs()[..., None]).flatten() + self.v(s).flatten()


class Learner(nn.Module):
    def __init__(self, n=3, obs=5, s=7, acts=4):
        super().__init__()
        self.agent = nn.Sequential(nn.Linear(obs, 16), nn.ReLU(), nn.Linear(16, acts))
        self.mixer = Mixer(n, s)
        self.target_agent, self.target_mixer = copy.deepcopy(self.agent), copy.deepcopy(self.mixer)
        for m in (self.target_agent, self.target_mixer):
            m.requires_grad_(False)

    def loss(self, o, s, a, r, o2, s2):
        q = self.agent(o).gather(2, a[..., None]).squeeze(-1)
        with torch.no_grad():
            best = self.agent(o2).argmax(-1, keepdim=True)
            y = r + 0.99 * self.target_mixer(self.target_agent(o2).gather(2, best).squeeze(-1), s2)
        return F.mse_loss(self.mixer(q, s), y)


def gradflow_probe():
    torch.manual_seed(0)
    l = Learner()
    b = 16
    return l, l.loss(torch.randn(b, 3, 5), torch.randn(b, 7), torch.randint(0, 4, (b, 3)), torch.randn(b), torch.randn(b, 3, 5), torch.randn(b, 7))
