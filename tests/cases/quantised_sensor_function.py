import torch
from torch import nn


class Quantise(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, levels):
        return torch.round(x * levels) / levels

    @staticmethod
    def backward(ctx, grad_output):
        return torch.zeros_like(grad_output), None


quantise = Quantise.apply


def gradflow_probe():
    torch.manual_seed(5)
    analog = nn.Sequential(nn.Conv1d(2, 6, 5, padding=2), nn.Hardswish(), nn.Conv1d(6, 3, 3, padding=1))
    digital = nn.GRU(3, 8, batch_first=True)
    verdict = nn.Linear(8, 2)
    wave = torch.randn(5, 2, 24)
    codes = quantise(torch.tanh(analog(wave)), 8)
    _, last = digital(codes.transpose(1, 2))
    loss = nn.functional.cross_entropy(verdict(last[-1]), torch.tensor([0, 1, 1, 0, 1]))
    return {"analog": analog, "digital": digital, "verdict": verdict}, loss
