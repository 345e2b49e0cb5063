import copy
import torch
from torch import nn
import torch.nn.functional as F


def mlp(dim_in, dim_hidden, dim_out):
    return nn.Sequential(
        nn.Linear(dim_in, dim_hidden),
        nn.BatchNorm1d(dim_hidden),
        nn.ReLU(inplace=True),
        nn.Linear(dim_hidden, dim_out),
    )


class BYOL(nn.Module):
    def __init__(self, backbone, feat=16, tau=0.99):
        super().__init__()
        self.tau = tau
        self.online_encoder = backbone
        self.online_projector = mlp(feat, 24, 8)
        self.predictor = mlp(8, 24, 8)
        self.target_encoder = copy.deepcopy(backbone)
        self.target_projector = copy.deepcopy(self.online_projector)
        for p in [*self.target_encoder.parameters(), *self.target_projector.parameters()]:
            p.requires_grad = False

    @torch.no_grad()
    def update_target(self):
        for o, t in ((self.online_encoder, self.target_encoder), (self.online_projector, self.target_projector)):
            for po, pt in zip(o.parameters(), t.parameters()):
                pt.data = self.tau * pt.data + (1 - self.tau) * po.data

    def forward(self, x1, x2):
        p1 = self.predictor(self.online_projector(self.online_encoder(x1)))
        p2 = self.predictor(self.online_projector(self.online_encoder(x2)))
        with torch.no_grad():
            self.update_target()
            z1 = self.target_projector(self.target_encoder(x1))
            z2 = self.target_projector(self.target_encoder(x2))
        return p1, p2, z1.detach(), z2.detach()


def regression_loss(p, z):
    return 2 - 2 * (F.normalize(p, dim=1) * F.normalize(z, dim=1)).sum(dim=1)


def gradflow_probe():
    torch.manual_seed(0)
    backbone = nn.Sequential(nn.Linear(10, 16), nn.ReLU())
    learner = BYOL(backbone)
    x = torch.randn(16, 10)
    p1, p2, z1, z2 = learner(x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x))
    loss = regression_loss(p1, z2) + regression_loss(p2, z1)
    return learner, loss.mean()
