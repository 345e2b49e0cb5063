import torch
import torch.nn as nn


class ChebConv(nn.Module):
    def __init__(self, c_in, c_out, order, operator):
        super().__init__()
        self.order = order
        self.operator = operator
        self.weight = nn.Parameter(torch.empty(order, c_in, c_out).normal_(0, 0.1))

    def forward(self, x):
        terms = [x]
        for _ in range(1, self.order):
            terms.append(torch.einsum("hi,btij->bthj", self.operator, terms[-1]))
        return torch.einsum("btkhi,kij->bthj", torch.stack(terms, dim=2), self.weight)


class TrafficBlock(nn.Module):
    def __init__(self, kernel, order, channels, gso, droprate):
        super().__init__()
        self.before = nn.Conv2d(channels[0], 2 * channels[1], (kernel, 1))
        self.graph = ChebConv(channels[1], channels[1], order, gso)
        self.after = nn.Conv2d(channels[1], channels[1], (kernel, 1))
        self.drop = nn.Dropout(droprate)

    def forward(self, x):
        h = nn.functional.glu(self.before(x), dim=1)
        h = self.graph(h.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        return self.drop(torch.relu(self.after(torch.relu(h))))
