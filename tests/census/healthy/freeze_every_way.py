import copy
import torch
from torch import nn


def freeze(module):
    return [p.requires_grad_(False) for p in module.parameters()]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Linear(6, 8).requires_grad_(False)
        self.mid = nn.Linear(8, 8)
        freeze(self.mid)
        self.tables = nn.Embedding.from_pretrained(torch.randn(5, 8), freeze=True)
        self.fixed0 = nn.Parameter(torch.randn(8), False)
        self.register_parameter("fixed1", nn.Parameter(torch.ones(8), requires_grad=False))
        self.twin = copy.deepcopy(self.mid)
        self.late = nn.Linear(8, 8)
        self.norm = nn.LayerNorm(8)
        self.norm.weight.requires_grad, self.norm.bias.requires_grad = False, False
        self.lift = nn.Linear(8, 8)
        for name, p in self.lift.named_parameters():
            setattr(p, "requires_grad", False)
        self.live = nn.Linear(8, 3)

    def forward(self, x, i):
        h = torch.tanh(self.stem(x)) + self.tables(i)
        h = self.norm(torch.tanh(self.mid(h)) * self.fixed0 + self.fixed1)
        h = torch.tanh(self.lift(self.twin(h)))
        return self.live(torch.tanh(self.late(h)))


def gradflow_probe():
    torch.manual_seed(0)
    net = Net()
    for p in filter(lambda p: p.requires_grad, net.late.parameters()):
        p.requires_grad = False
    return net, nn.functional.cross_entropy(net(torch.randn(6, 6), torch.randint(0, 5, (6,))), torch.arange(6) % 3)
