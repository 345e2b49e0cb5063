import torch
from torch import nn


class SpectralConv1d(nn.Module):
    def __init__(self, ci, co, modes):
        super().__init__()
        self.modes = modes
        self.weights = nn.Parameter(torch.rand(ci, co, modes, dtype=torch.cfloat) / (ci * co))

    def forward(self, x):
        f = torch.fft.rfft(x)
        out = torch.zeros(x.size(0), self.weights.size(1), f.size(-1), dtype=torch.cfloat)
        out[..., : self.modes] = torch.einsum("bim,iom->bom", f[..., : self.modes], self.weights)
        return torch.fft.irfft(out, n=x.size(-1))


class FNO(nn.Module):
    def __init__(self, w=6, modes=5):
        super().__init__()
        self.lift = nn.Conv1d(2, w, 1)
        self.spectral = nn.ModuleList(SpectralConv1d(w, w, modes) for _ in range(2))
        self.local = nn.ModuleList(nn.Conv1d(w, w, 1) for _ in range(2))
        self.proj = nn.Conv1d(w, 1, 1)

    def forward(self, x):
        x = self.lift(x)
        for s, l in zip(self.spectral, self.local):
            x = torch.nn.functional.gelu(s(x) + l(x))
        return self.proj(x)


def gradflow_probe():
    torch.manual_seed(0)
    m = FNO()
    grid = torch.linspace(0, 1, 24).expand(4, 1, 24)
    a = torch.randn(4, 1, 24).cumsum(-1)
    rel = (m(torch.cat([a, grid], 1)) - a.roll(1, -1)).flatten(1).norm(dim=1) / a.flatten(1).norm(dim=1)
    return m, rel.mean()
