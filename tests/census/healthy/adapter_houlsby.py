import torch
from torch import nn


class Adapter(nn.Module):
    def __init__(self, width, bottleneck=4):
        super().__init__()
        self.down = nn.Linear(width, bottleneck)
        self.up = nn.Linear(bottleneck, width)
        nn.init.zeros_(self.up.weight)
        nn.init.zeros_(self.up.bias)

    def forward(self, h):
        return h + self.up(torch.tanh(self.down(h)))


class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.mix = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width)
        self.adapter = None

    def forward(self, h):
        h = self.norm(h + torch.relu(self.mix(h)))
        return h if self.adapter is None else self.adapter(h)


class Encoder(nn.Module):
    def __init__(self, vocab=50, width=16, depth=2):
        super().__init__()
        self.tokens = nn.Embedding(vocab, width)
        self.layers = nn.ModuleList(Layer(width) for _ in range(depth))

    def forward(self, ids):
        h = self.tokens(ids)
        for layer in self.layers:
            h = layer(h)
        return h.mean(1)


def insert_adapters(encoder):
    encoder.requires_grad_(False)
    for layer in encoder.layers:
        layer.adapter = Adapter(layer.mix.out_features)
    return encoder


class Classifier(nn.Module):
    def __init__(self, encoder, classes):
        super().__init__()
        self.encoder = insert_adapters(encoder)
        self.top = nn.Linear(16, classes)

    def forward(self, ids):
        return self.top(self.encoder(ids))


def gradflow_probe():
    torch.manual_seed(0)
    net = Classifier(Encoder(), 3)
    ids = torch.randint(0, 50, (8, 6))
    return net, nn.functional.cross_entropy(net(ids), torch.randint(0, 3, (8,)))
