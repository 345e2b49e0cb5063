import torch
from torch import nn


class Highway(nn.Module):
    def __init__(self, size, num_layers, f=torch.relu):
        super().__init__()
        self.nonlinear = nn.ModuleList([nn.Linear(size, size) for _ in range(num_layers)])
        self.linear = nn.ModuleList([nn.Linear(size, size) for _ in range(num_layers)])
        self.gate = nn.ModuleList([nn.Linear(size, size) for _ in range(num_layers)])
        self.f = f
        for g in self.gate:
            nn.init.constant_(g.bias, -3.0)

    def forward(self, x):
        for nl, li, ga in zip(self.nonlinear, self.linear, self.gate):
            gate = torch.sigmoid(ga(x))
            x = gate * self.f(nl(x)) + (1 - gate) * li(x)
        return x


class CharTagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.chars = nn.Embedding(26, 12)
        self.highway = Highway(12, 3)
        self.tags = nn.Linear(12, 5)

    def forward(self, c):
        return self.tags(self.highway(self.chars(c)))


def gradflow_probe():
    torch.manual_seed(0)
    model = CharTagger()
    c = torch.randint(26, (4, 10))
    return model, nn.functional.cross_entropy(model(c).view(-1, 5), (c % 5).view(-1))
