import torch
from torch import nn


class Memory(nn.Module):
    def __init__(self, slots=5, d=6):
        super().__init__()
        self.write = nn.Linear(d, d)
        self.read = nn.Linear(d, d)
        self.register_buffer("bank", torch.zeros(slots, d))

    def store(self, x):
        keys = torch.tanh(self.write(x))
        with torch.no_grad():
            self.bank.copy_(keys[: self.bank.size(0)])

    def forward(self, x):
        self.store(x)
        att = torch.softmax(x @ self.bank.t(), dim=-1)
        return self.read(att @ self.bank)


def gradflow_probe():
    torch.manual_seed(0)
    m = Memory()
    x = torch.randn(9, 6)
    return m, nn.functional.mse_loss(m(x), x)
