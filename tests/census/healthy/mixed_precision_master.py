import torch
from torch import nn
from torch.func import functional_call


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1 = nn.Linear(10, 20)
        self.ln = nn.LayerNorm(20)
        self.l2 = nn.Linear(20, 3)

    def forward(self, x):
        return self.l2(torch.relu(self.ln(self.l1(x))))


def gradflow_probe():
    torch.manual_seed(0)
    master = Net()
    cast = {k: p.to(torch.bfloat16) for k, p in master.named_parameters()}
    x = torch.randn(12, 10, dtype=torch.bfloat16)
    out = functional_call(master, cast, (x,))
    return master, nn.functional.cross_entropy(out.float(), torch.arange(12) % 3)
