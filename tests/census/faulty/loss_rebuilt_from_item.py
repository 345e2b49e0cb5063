import torch
from torch import nn


class Seq(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(3, 6)
        self.out = nn.Linear(6, 1)

    def forward(self, seq, targets):
        h = c = seq.new_zeros(seq.size(1), 6)
        total = 0.0
        for x, y in zip(seq, targets):
            h, c = self.cell(x, (h, c))
            total += nn.functional.mse_loss(self.out(h), y).item()
        return torch.tensor(total / len(seq), requires_grad=True)


def gradflow_probe():
    torch.manual_seed(0)
    s = Seq()
    seq = torch.randn(7, 4, 3)
    return s, s(seq, seq.sum(-1, keepdim=True))
