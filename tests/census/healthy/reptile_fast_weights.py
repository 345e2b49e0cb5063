import torch
from torch import nn
from torch.func import functional_call


class Meta(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 12), nn.Tanh(), nn.Linear(12, 1))
        self.fast = None

    def adapt(self, x, y, lr=0.1):
        self.fast = {n: p.detach().clone().requires_grad_(True) for n, p in self.net.named_parameters()}
        for _ in range(3):
            loss = (functional_call(self.net, self.fast, (x,)) - y).pow(2).mean()
            grads = torch.autograd.grad(loss, list(self.fast.values()))
            self.fast = {n: (p - lr * g).detach().requires_grad_(True) for (n, p), g in zip(self.fast.items(), grads)}

    def meta_loss(self):
        return sum(0.5 * (p - self.fast[n].detach()).pow(2).sum() for n, p in self.net.named_parameters())


def gradflow_probe():
    torch.manual_seed(0)
    m = Meta()
    x = torch.randn(20, 2)
    m.adapt(x, x.prod(1, keepdim=True))
    return m, m.meta_loss()
