import torch
from torch import nn


class EEGNet(nn.Module):
    """Compact CNN for EEG. Input: (batch, 1, channels, samples)."""

    def __init__(self, n_channels=22, n_samples=256, n_classes=4, F1=8, D=2, kern=64, p=0.25):
        super().__init__()
        F2 = F1 * D
        self.block1 = nn.Sequential(
            nn.Conv2d(1, F1, (1, kern), padding='same', bias=False),
            nn.BatchNorm2d(F1),
            nn.Conv2d(F1, F2, (n_channels, 1), groups=F1, bias=False),
            nn.BatchNorm2d(F2),
            nn.ELU(),
            nn.AvgPool2d((1, 4)),
            nn.Dropout(p),
        )
        self.block2 = nn.Sequential(
            nn.Conv2d(F2, F2, (1, 16), padding=(0, 8), groups=F2, bias=False),
            nn.Conv2d(F2, F2, 1, bias=False),
            nn.BatchNorm2d(F2),
            nn.ELU(),
            nn.AvgPool2d((1, 8)),
            nn.Dropout(p),
        )
        self.head = nn.Linear(self._feature_size(n_channels, n_samples), n_classes)

    def _feature_size(self, c, t):
        with torch.no_grad():
            z = self.block2(self.block1(torch.zeros(1, 1, c, t)))
        return z.numel()

    def forward(self, x):
        return self.head(self.block2(self.block1(x)).flatten(start_dim=1))
