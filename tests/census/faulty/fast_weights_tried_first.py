import torch
from torch import nn
from torch.func import functional_call, grad, vmap


class FastMemory(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.memory = nn.Sequential(nn.Linear(dim, dim, bias=False), nn.GELU(), nn.Linear(dim, dim, bias=False))
        assert self.memory(torch.zeros(1, dim)).shape == (1, dim)
        self.names = [name for name, _ in self.memory.named_parameters()]
        self.start = nn.ParameterList(p.repeat(2, 1, 1) for p in self.memory.parameters())
        self.key, self.value, self.query = (nn.Linear(dim, dim) for _ in range(3))
        self.surprise = vmap(grad(self.recall_error))

    def recall_error(self, weights, k, v):
        return (functional_call(self.memory, weights, (k,)) - v).square().sum()

    def forward(self, x):
        weights = {name: p[: len(x)] for name, p in zip(self.names, self.start)}
        steps = self.surprise(weights, self.key(x), self.value(x))
        stored = {name: w - 0.1 * steps[name] for name, w in weights.items()}
        return x + vmap(lambda w, q: functional_call(self.memory, w, (q,)))(stored, self.query(x))


def gradflow_probe():
    torch.manual_seed(0)
    model = FastMemory()
    return model, model(torch.randn(2, 5, 8)).square().mean()
