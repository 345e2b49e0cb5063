import torch
from torch import nn


class Scaling(nn.Module):
    def __init__(self, num_features: int, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))

    def forward(self, x, mode: str):
        if mode == "norm":
            self.mean = x.mean(1, keepdim=True).detach()
            self.spread = (x.var(1, keepdim=True, unbiased=False) + self.eps).sqrt().detach()
            x = (x - self.mean) / self.spread * self.weight + self.bias
        elif mode == "denorm":
            x = (x - self.bias) / self.weight * self.spread + self.mean
        else:
            raise NotImplementedError
        return x
