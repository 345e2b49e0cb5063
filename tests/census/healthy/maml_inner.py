import torch
from torch import nn
from torch.func import functional_call


class MAML(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 1))
        self.log_lr = nn.ParameterDict({n.replace(".", "_"): nn.Parameter(torch.tensor(-3.0)) for n, _ in self.net.named_parameters()})

    def adapt(self, x, y, steps=2):
        w = dict(self.net.named_parameters())
        for _ in range(steps):
            loss = (functional_call(self.net, w, (x,)) - y).pow(2).mean()
            g = torch.autograd.grad(loss, list(w.values()), create_graph=True)
            w = {n: p - self.log_lr[n.replace(".", "_")].exp() * gi for (n, p), gi in zip(w.items(), g)}
        return w

    def forward(self, tasks):
        outer = 0
        for xs, ys, xq, yq in tasks:
            w = self.adapt(xs, ys)
            outer = outer + (functional_call(self.net, w, (xq,)) - yq).pow(2).mean()
        return outer / len(tasks)


def sine_task():
    a, p = torch.rand(1) * 4 + 0.5, torch.rand(1) * 3
    x = torch.rand(20, 1) * 10 - 5
    y = a * torch.sin(x + p)
    return x[:10], y[:10], x[10:], y[10:]


def gradflow_probe():
    torch.manual_seed(0)
    m = MAML()
    return m, m([sine_task() for _ in range(3)])
