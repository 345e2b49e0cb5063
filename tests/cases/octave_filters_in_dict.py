import torch
from torch import nn


class OctaveBank(nn.Module):
    def __init__(self, octaves=3):
        super().__init__()
        self.filters = {f"octave{i}": nn.Conv1d(1, 2, 3 + 2 * i, padding=1 + i) for i in range(octaves)}
        self.tilt = torch.randn(octaves, requires_grad=True)
        self.mix = nn.Conv1d(2, 1, 1)

    def forward(self, wave):
        bands = [f(wave) * self.tilt[i] for i, f in enumerate(self.filters.values())]
        return self.mix(torch.stack(bands).sum(0))


def gradflow_probe():
    torch.manual_seed(0)
    bank = OctaveBank()
    wave = torch.randn(4, 1, 32)
    return bank, nn.functional.mse_loss(bank(wave), wave)
