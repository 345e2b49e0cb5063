import torch
from torch import nn
from torch.autograd import Function


class LinearFunction(Function):
    @staticmethod
    def forward(ctx, input, weight, bias):
        ctx.save_for_backward(input, weight)
        return input.mm(weight.t()) + bias

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        grad_input = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_input = grad_output.mm(weight)
        if ctx.needs_input_grad[2]:
            grad_weight = grad_output.t().mm(input)
            grad_bias = grad_output.sum(0)
        return grad_input, None, grad_bias


class MyLinear(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(o, i) / i ** 0.5)
        self.bias = nn.Parameter(torch.zeros(o))

    def forward(self, x):
        return LinearFunction.apply(x, self.weight, self.bias)


def gradflow_probe():
    torch.manual_seed(0)
    net = nn.Sequential(MyLinear(6, 12), nn.Tanh(), MyLinear(12, 1))
    x = torch.randn(20, 6)
    return net, nn.functional.mse_loss(net(x), x.sum(1, keepdim=True))
