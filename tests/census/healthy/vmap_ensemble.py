import torch
from torch import nn
from torch.func import functional_call, stack_module_state, vmap


class Ensemble(nn.Module):
    def __init__(self, make, n):
        super().__init__()
        members = [make() for _ in range(n)]
        stacked, _ = stack_module_state(members)
        self._base = [members[0].to("meta")]
        self.stack = nn.ParameterDict({k.replace(".", "/"): nn.Parameter(v.detach()) for k, v in stacked.items()})

    def forward(self, x):
        base = self._base[0]
        params = {k.replace("/", "."): v for k, v in self.stack.items()}
        return vmap(lambda p, x: functional_call(base, p, (x,)), in_dims=(0, None))(params, x)


def gradflow_probe():
    torch.manual_seed(0)
    ens = Ensemble(lambda: nn.Sequential(nn.Linear(4, 10), nn.Tanh(), nn.Linear(10, 1)), 3)
    x = torch.randn(20, 4)
    y = x[:, :1] ** 2
    return ens, (ens(x) - y).pow(2).mean()
