import torch
from torch import nn
import torch.distributions as D


class MDN(nn.Module):
    def __init__(self, n=1, k=4, h=16):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(n, h), nn.Tanh())
        self.pi, self.mu, self.sigma = (nn.Linear(h, k) for _ in range(3))

    def forward(self, x):
        h = self.body(x)
        mix = D.Categorical(logits=self.pi(h))
        comp = D.Normal(self.mu(h), nn.functional.softplus(self.sigma(h)) + 1e-3)
        return D.MixtureSameFamily(mix, comp)


def gradflow_probe():
    torch.manual_seed(0)
    model = MDN()
    y = torch.rand(50, 1) * 10 - 5
    x = torch.sin(0.75 * y) * 7 + y * 0.5 + torch.randn_like(y)
    return model, -model(x).log_prob(y.squeeze(1)).mean()
