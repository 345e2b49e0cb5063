import torch
import torch.nn as nn
from torch.func import functional_call


class FlatMinimaTrainer(nn.Module):
    """Evaluates the loss at slightly perturbed weights."""

    def __init__(self, net, rho=0.05):
        super().__init__()
        self.net = net
        self.rho = rho

    def forward(self, x, y):
        noisy = {}
        for name, p in self.net.named_parameters():
            if p.dim() > 1:
                noisy[name] = p.detach() + self.rho * torch.randn_like(p)
        out = functional_call(self.net, noisy, (x,))
        return nn.functional.cross_entropy(out, y)


def gradflow_probe():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(5, 12), nn.ReLU(), nn.Linear(12, 3))
    trainer = FlatMinimaTrainer(net)
    return trainer, trainer(torch.randn(10, 5), torch.randint(0, 3, (10,)))
