import torch
from torch import nn
from torch.autograd.function import once_differentiable


class FusedMul(torch.autograd.Function):
    @staticmethod
    def forward(a, b):
        return a * b

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g * b, None


def fused(a, b):
    return FusedMul.apply(a, b)


class GLU(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.value = nn.Linear(d, d)
        self.gate = nn.Linear(d, d)
        self.down = nn.Linear(d, 2)

    def forward(self, x):
        return self.down(fused(self.value(x), torch.sigmoid(self.gate(x))))


def gradflow_probe():
    torch.manual_seed(0)
    m = GLU(5)
    return m, nn.functional.cross_entropy(m(torch.randn(8, 5)), torch.arange(8) % 2)
