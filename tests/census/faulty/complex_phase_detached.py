import torch
from torch import nn


class SpectralMask(nn.Module):
    """Learns a complex mask; magnitude and phase are recombined."""

    def __init__(self, n=32):
        super().__init__()
        self.mask = nn.Parameter(torch.ones(n // 2 + 1, dtype=torch.cfloat))
        self.phase = nn.Parameter(torch.zeros(n // 2 + 1))

    def forward(self, x):
        spec = torch.fft.rfft(x) * self.mask
        mag, ang = spec.abs(), spec.angle()
        ang = ang + self.phase.detach()
        return torch.fft.irfft(torch.polar(mag, ang.detach()), n=x.size(-1))


def gradflow_probe():
    torch.manual_seed(0)
    m = SpectralMask()
    x = torch.randn(6, 32)
    return m, (m(x) - x.roll(1, -1)).pow(2).mean()
