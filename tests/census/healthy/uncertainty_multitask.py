import torch
from torch import nn
import torch.nn.functional as F


class MTL(nn.Module):
    tasks = {"depth": 1, "normal": 3, "seg": 5}

    def __init__(self, c=8):
        super().__init__()
        self.backbone = nn.Sequential(nn.Conv2d(3, c, 3, padding=1), nn.GELU(), nn.Conv2d(c, c, 3, padding=1), nn.GELU())
        self.heads = nn.ModuleDict()
        self.log_vars = nn.ParameterDict()
        for name, n in self.tasks.items():
            self.heads[name] = nn.Conv2d(c, n, 1)
            self.log_vars[name] = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        f = self.backbone(x)
        return {k: h(f) for k, h in self.heads.items()}

    def losses(self, out, tgt):
        raw = {
            "depth": F.l1_loss(out["depth"], tgt["depth"]),
            "normal": 1 - F.cosine_similarity(out["normal"], tgt["normal"], dim=1).mean(),
            "seg": F.cross_entropy(out["seg"], tgt["seg"]),
        }
        return {k: torch.exp(-self.log_vars[k]) * v + self.log_vars[k] for k, v in raw.items()}


def gradflow_probe():
    torch.manual_seed(0)
    m = MTL()
    x = torch.rand(2, 3, 8, 8)
    out = m(x)
    tgt = {"depth": torch.rand(2, 1, 8, 8), "normal": torch.randn(2, 3, 8, 8), "seg": torch.randint(0, 5, (2, 8, 8))}
    return m, m.losses(out, tgt)
