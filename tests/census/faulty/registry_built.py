import torch
from torch import nn

LAYERS = {"fc": nn.Linear, "ln": nn.LayerNorm}
SPEC = [
    ("fc", (6, 12)),
    ("act", "SiLU"),
    ("ln", (12,)),
    ("fc", (12, 12)),
    ("act", "Hardtanh"),
    ("fc", (12, 3)),
]


def build(spec):
    net = nn.Sequential()
    for i, (kind, arg) in enumerate(spec):
        if kind == "act":
            net.add_module(f"{i}_{arg}", getattr(nn, arg)())
        else:
            net.add_module(f"{i}_{kind}", LAYERS[kind](*arg))
    return net


def gradflow_probe(seed: int = 0):
    torch.manual_seed(seed)
    net = build(SPEC)
    net[3].bias.data += 9.0
    x = torch.randn(10, 6)
    return net, nn.functional.cross_entropy(net(x), torch.arange(10) % 3)
