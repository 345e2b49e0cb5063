import torch
from torch import nn
import torch.nn.functional as F


def off_diagonal(x):
    n = x.shape[0]
    return x.flatten()[:-1].view(n - 1, n + 1)[:, 1:].flatten()


class VICReg(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(8, 16), nn.ReLU())
        self.expander = nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 10))

    def forward(self, a, b):
        x, y = self.expander(self.backbone(a)), self.expander(self.backbone(b))
        repr_loss = F.mse_loss(x, y)
        x, y = x - x.mean(0), y - y.mean(0)
        std_x, std_y = torch.sqrt(x.var(0) + 1e-4), torch.sqrt(y.var(0) + 1e-4)
        std_loss = F.relu(1 - std_x).mean() / 2 + F.relu(1 - std_y).mean() / 2
        cov_x, cov_y = x.T @ x / (len(x) - 1), y.T @ y / (len(y) - 1)
        cov_loss = off_diagonal(cov_x).pow(2).sum() / 10 + off_diagonal(cov_y).pow(2).sum() / 10
        return 25 * repr_loss + 25 * std_loss + cov_loss


def gradflow_probe():
    torch.manual_seed(0)
    model = VICReg()
    x = torch.randn(32, 8)
    return model, model(x + torch.randn_like(x) * 0.2, x + torch.randn_like(x) * 0.2)
