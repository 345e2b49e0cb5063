import torch
from torch import nn


class SlotMemory(nn.Module):
    def __init__(self, slots=4, d=6):
        super().__init__()
        self.write = nn.Linear(5, d)
        self.read = nn.Linear(d, d)
        self.out = nn.Linear(d, 1)
        self.register_buffer("mem", torch.zeros(slots, d))

    def forward(self, x):
        self.mem[:] = self.write(x[:4]).detach()
        key = torch.softmax(self.read(self.mem) @ self.mem.t(), -1)
        return self.out(key @ self.mem)


def gradflow_probe():
    torch.manual_seed(0)
    net = SlotMemory()
    return net, net(torch.randn(9, 5)).sigmoid().mean()
