import torch
from torch import nn


class SimSiam(nn.Module):
    """Chen & He 2020, on vectors."""

    def __init__(self, in_dim=9, dim=12, pred_dim=6):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Linear(in_dim, dim), nn.BatchNorm1d(dim), nn.ReLU(inplace=True),
            nn.Linear(dim, dim), nn.BatchNorm1d(dim, affine=False),
        )
        self.predictor = nn.Sequential(nn.Linear(dim, pred_dim), nn.BatchNorm1d(pred_dim), nn.ReLU(inplace=True), nn.Linear(pred_dim, dim))

    def forward(self, x1, x2):
        z1, z2 = self.encoder(x1), self.encoder(x2)
        p1, p2 = self.predictor(z1), self.predictor(z2)
        return p1, p2, z1.detach(), z2.detach()


def gradflow_probe():
    torch.manual_seed(0)
    criterion = nn.CosineSimilarity(dim=1)
    model = SimSiam()
    x = torch.randn(32, 9)
    p1, p2, z1, z2 = model(x + 0.2 * torch.randn_like(x), x + 0.2 * torch.randn_like(x))
    output_std = nn.functional.normalize(z1, dim=1).std(0).mean().item()
    model.collapse_level = max(0.0, 1 - 12 ** 0.5 * output_std)
    return model, -(criterion(p1, z2).mean() + criterion(p2, z1).mean()) * 0.5
