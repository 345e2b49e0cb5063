import copy
import torch
from torch import nn


class NoisyLinear(nn.Module):
    def __init__(self, i, o, sigma=0.5):
        super().__init__()
        self.mu_w = nn.Parameter(torch.empty(o, i).uniform_(-i ** -0.5, i ** -0.5))
        self.sig_w = nn.Parameter(torch.full((o, i), sigma / i ** 0.5))
        self.mu_b, self.sig_b = nn.Parameter(torch.zeros(o)), nn.Parameter(torch.full((o,), sigma / o ** 0.5))
        self.register_buffer("eps_i", torch.zeros(i))
        self.register_buffer("eps_o", torch.zeros(o))
        self.reset_noise()

    def reset_noise(self):
        f = lambda n: (lambda x: x.sign() * x.abs().sqrt())(torch.randn(n))
        self.eps_i.copy_(f(len(self.eps_i)))
        self.eps_o.copy_(f(len(self.eps_o)))

    def forward(self, x):
        w = self.mu_w + self.sig_w * torch.outer(self.eps_o, self.eps_i)
        return nn.functional.linear(x, w, self.mu_b + self.sig_b * self.eps_o)


class Net(nn.Module):
    def __init__(self, obs=4, acts=2, atoms=11):
        super().__init__()
        self.acts, self.atoms = acts, atoms
        self.body = nn.Linear(obs, 16)
        self.head = NoisyLinear(16, acts * atoms)
        self.register_buffer("z", torch.linspace(-5, 5, atoms))

    def forward(self, x):
        return self.head(torch.relu(self.body(x))).view(-1, self.acts, self.atoms).log_softmax(-1)


class Rainbow(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = Net()
        self.target = copy.deepcopy(self.net)
        for p in self.target.parameters():
            p.requires_grad = False

    def loss(self, s, a, r, s2, gamma=0.9):
        z, dz = self.net.z, self.net.z[1] - self.net.z[0]
        with torch.no_grad():
            p2 = self.target(s2).exp()
            best = (p2 * z).sum(-1).argmax(-1)
            p2 = p2[torch.arange(len(s)), best]
            tz = (r[:, None] + gamma * z).clamp(-5, 5)
            b = (tz + 5) / dz
            lo, hi = b.floor().long(), b.ceil().long()
            m = torch.zeros_like(p2)
            m.scatter_add_(1, lo, p2 * (hi.float() - b + (lo == hi).float()))
            m.scatter_add_(1, hi, p2 * (b - lo.float()))
        return -(m * self.net(s)[torch.arange(len(s)), a]).sum(-1).mean()


def gradflow_probe():
    torch.manual_seed(0)
    agent = Rainbow()
    n = 24
    return agent, agent.loss(torch.randn(n, 4), torch.randint(0, 2, (n,)), torch.randn(n), torch.randn(n, 4))
