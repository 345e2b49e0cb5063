"""The bench's own models: healthy, and each with one of three faults between its first and its second half.

For every name in `MODELS` there are `gradflow_probe_NAME`, `gradflow_probe_NAME_detached`, `…_dead` and `…_vanishing`.
"""

import torch
import torch.nn.functional as F
from torch import nn


class Detached(nn.Identity):
    def forward(self, x):
        return x.detach()


class Dead(nn.Identity):
    def forward(self, x):
        return F.relu(x - 1e4)


class Vanishing(nn.Sequential):
    def __init__(self, width):
        super().__init__(*(nn.Sequential(nn.Linear(width, width), nn.Sigmoid()) for _ in range(24)))


FAULTS = {"": nn.Identity, "_detached": Detached, "_dead": Dead, "_vanishing": Vanishing}


class Perceptron(nn.Module):
    """Few large layers: a batch of 256 through widths of 1,024."""

    def __init__(self, fault, width=1024):
        super().__init__()
        self.first = nn.Sequential(*(nn.Sequential(nn.Linear(width, width), nn.GELU()) for _ in range(4)))
        self.fault = fault(width)
        self.second = nn.Sequential(*(nn.Sequential(nn.Linear(width, width), nn.GELU()) for _ in range(4)))

    def forward(self):
        return self.second(self.fault(self.first(torch.randn(256, 1024)))).square().mean()


class Residual(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(channels, channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(channels),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(channels),
        )

    def forward(self, x):
        return F.relu(x + self.body(x))


class ConvNet(nn.Module):
    """Eight residual blocks of 64 channels on 32x32 images."""

    def __init__(self, fault, channels=64):
        super().__init__()
        self.stem = nn.Conv2d(3, channels, 3, padding=1)
        self.first = nn.Sequential(*(Residual(channels) for _ in range(4)))
        self.fault = fault(channels)
        self.second = nn.Sequential(*(Residual(channels) for _ in range(4)))
        self.head = nn.Linear(channels, 10)

    def forward(self):
        x = self.first(self.stem(torch.randn(8, 3, 32, 32)))
        x = self.fault(x.movedim(1, -1)).movedim(-1, 1)
        return F.cross_entropy(self.head(self.second(x).mean(dim=(2, 3))), torch.randint(10, (8,)))


class Transformer(nn.Module):
    """A language model of torch's own encoder layers."""

    def __init__(self, fault, width=256, heads=4, layers=6, words=2000, length=128, batch=4):
        super().__init__()
        self.words, self.length, self.batch = words, length, batch
        self.embed = nn.Embedding(words, width)
        make = lambda: nn.TransformerEncoderLayer(width, heads, 4 * width, batch_first=True)  # noqa: E731
        self.first = nn.ModuleList(make() for _ in range(layers // 2))
        self.fault = fault(width)
        self.second = nn.ModuleList(make() for _ in range(layers - layers // 2))
        self.head = nn.Linear(width, words)

    def forward(self):
        tokens = torch.randint(self.words, (self.batch, self.length + 1))
        x = self.embed(tokens[:, :-1])
        for layer in self.first:
            x = layer(x)
        x = self.fault(x)
        for layer in self.second:
            x = layer(x)
        return F.cross_entropy(self.head(x).flatten(0, 1), tokens[:, 1:].flatten())


class Recurrent(nn.Module):
    """A gated cell written by hand, a hundred steps: many small operations on few parameters."""

    def __init__(self, fault, width=128):
        super().__init__()
        self.embed = nn.Linear(32, width)
        self.fault = fault(width)
        self.gate = nn.Linear(2 * width, width)
        self.new = nn.Linear(2 * width, width)
        self.head = nn.Linear(width, 5)

    def forward(self):
        steps = self.fault(torch.tanh(self.embed(torch.randn(100, 64, 32))))
        state = torch.zeros(64, steps.shape[-1])
        for step in steps:
            both = torch.cat([step, state], dim=-1)
            gate = torch.sigmoid(self.gate(both))
            state = gate * state + (1 - gate) * torch.tanh(self.new(both))
        return F.cross_entropy(self.head(state), torch.randint(5, (64,)))


class Tiny(nn.Module):
    """So many layers of 8 units: nearly all of the time is the calls themselves."""

    def __init__(self, fault, layers=1000, width=8):
        super().__init__()
        self.first = nn.ModuleList(nn.Linear(width, width) for _ in range(layers // 2))
        self.fault = fault(width)
        self.second = nn.ModuleList(nn.Linear(width, width) for _ in range(layers // 2))
        self.head = nn.Linear(width, 3)

    def forward(self):
        x = torch.randn(4, 8)
        for layer in self.first:
            x = x + 0.1 * torch.tanh(layer(x))
        x = self.fault(x)
        for layer in self.second:
            x = x + 0.1 * torch.tanh(layer(x))
        return F.cross_entropy(self.head(x), torch.randint(3, (4,)))


def tiny_300(fault):
    """So few of them that the first call is traced to its end."""
    return Tiny(fault, layers=300)


def big(fault):
    """64 million parameters."""
    return Transformer(fault, width=768, heads=12, layers=6, words=14000, length=64, batch=2)


def smallest(fault):
    """For trying out the bench itself."""
    return Transformer(fault, width=8, heads=1, layers=2, words=10, length=4, batch=1)


MODELS = {
    "mlp": Perceptron,
    "conv": ConvNet,
    "transformer": Transformer,
    "recurrent": Recurrent,
    "tiny_1000": Tiny,
    "tiny_300": tiny_300,
    "big": big,
    "smallest": smallest,
}


def _probe(build, fault):
    def gradflow_probe():
        torch.manual_seed(0)
        model = build(fault)
        return model, model()

    return gradflow_probe


for _name, _build in MODELS.items():
    for _suffix, _fault in FAULTS.items():
        globals()[f"gradflow_probe_{_name}{_suffix}"] = _probe(_build, _fault)
