import torch
from torch import nn


class Cross(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.MultiheadAttention(8, 2, batch_first=True, add_bias_kv=True)
        self.b = nn.MultiheadAttention(8, 2, kdim=5, vdim=6, batch_first=True)
        self.out = nn.Linear(8, 3)

    def forward(self, x, k, v):
        x = x + self.a(x, x, x, need_weights=False)[0]
        y, attn = self.b(x, k, v)
        self.last_attn = attn.detach()
        return self.out(x + y)


def gradflow_probe():
    torch.manual_seed(0)
    model = Cross()
    o = model(torch.randn(2, 5, 8), torch.randn(2, 4, 5), torch.randn(2, 4, 6))
    return model, nn.functional.cross_entropy(o.transpose(1, 2), torch.randint(0, 3, (2, 5)))
