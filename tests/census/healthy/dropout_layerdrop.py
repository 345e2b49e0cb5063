import torch
import torch.nn as nn
import torch.nn.functional as F
import random


class Encoder(nn.Module):
    def __init__(self, d=16, n=4):
        super().__init__()
        self.layers = nn.ModuleList(nn.TransformerEncoderLayer(d, 2, 32, batch_first=True) for _ in range(n))
        self.out = nn.Linear(d, 2)

    def forward(self, x):
        for k, layer in enumerate(self.layers):
            if self.training and k == 2:
                continue
            x = layer(x)
        return self.out(x.mean(1))


def gradflow_probe():
    torch.manual_seed(0)
    enc = Encoder()
    return enc, F.cross_entropy(enc(torch.randn(4, 6, 16)), torch.tensor([0, 1, 1, 0]))
