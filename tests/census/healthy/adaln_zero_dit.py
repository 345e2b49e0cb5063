import torch
from torch import nn


def modulate(x, shift, scale):
    return x * (1 + scale.unsqueeze(1)) + shift.unsqueeze(1)


class DiTBlock(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.norm = nn.LayerNorm(d, elementwise_affine=False)
        self.mlp = nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d))
        self.mod = nn.Sequential(nn.SiLU(), nn.Linear(d, 3 * d))

    def forward(self, x, c):
        shift, scale, gate = self.mod(c).chunk(3, dim=-1)
        return x + gate.unsqueeze(1) * self.mlp(modulate(self.norm(x), shift, scale))


class FinalLayer(nn.Module):
    def __init__(self, d, out):
        super().__init__()
        self.norm = nn.LayerNorm(d, elementwise_affine=False)
        self.linear = nn.Linear(d, out)
        self.mod = nn.Sequential(nn.SiLU(), nn.Linear(d, 2 * d))

    def forward(self, x, c):
        shift, scale = self.mod(c).chunk(2, dim=-1)
        return self.linear(modulate(self.norm(x), shift, scale))


class DiT(nn.Module):
    def __init__(self, patch=6, d=12, depth=2):
        super().__init__()
        self.x_embed = nn.Linear(patch, d)
        self.t_embed = nn.Sequential(nn.Linear(1, d), nn.SiLU(), nn.Linear(d, d))
        self.blocks = nn.ModuleList([DiTBlock(d) for _ in range(depth)])
        self.final = FinalLayer(d, patch)
        self.initialize_weights()

    def initialize_weights(self):
        for block in self.blocks:
            nn.init.constant_(block.mod[-1].weight, 0)
            nn.init.constant_(block.mod[-1].bias, 0)
        nn.init.constant_(self.final.mod[-1].weight, 0)
        nn.init.constant_(self.final.mod[-1].bias, 0)
        nn.init.constant_(self.final.linear.weight, 0)
        nn.init.constant_(self.final.linear.bias, 0)

    def forward(self, x, t):
        x, c = self.x_embed(x), self.t_embed(t[:, None])
        for block in self.blocks:
            x = block(x, c)
        return self.final(x, c)


def gradflow_probe():
    torch.manual_seed(0)
    model = DiT()
    x0, eps, t = torch.randn(4, 5, 6), torch.randn(4, 5, 6), torch.rand(4)
    xt = (1 - t)[:, None, None] * x0 + t[:, None, None] * eps
    return model, (model(xt, t) - (eps - x0)).pow(2).mean()
