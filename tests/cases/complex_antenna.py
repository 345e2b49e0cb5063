import torch
from torch import nn


class Beamformer(nn.Module):
    def __init__(self, antennas=6):
        super().__init__()
        self.steer = nn.Parameter(torch.randn(antennas, dtype=torch.cfloat) / antennas)
        self.phase = nn.Parameter(torch.zeros(antennas))
        self.gain = nn.Parameter(torch.tensor(1.0))

    def forward(self, signal):
        turned = self.steer * torch.polar(torch.ones_like(self.phase), self.phase)
        beam = torch.einsum("a,nat->nt", turned, signal)
        return self.gain * torch.view_as_real(torch.fft.fft(beam)).pow(2).sum(-1)


def gradflow_probe():
    torch.manual_seed(0)
    model = Beamformer()
    power = model(torch.randn(3, 6, 16, dtype=torch.cfloat))
    return model, (power.log() - 1.0).abs().mean()
