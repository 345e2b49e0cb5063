import math

import torch
import torch.nn.functional as F
from torch import nn, Tensor


class LoRALinear(nn.Linear):
    """nn.Linear with a trainable low-rank update."""

    def __init__(self, in_features: int, out_features: int, r: int = 4, lora_alpha: int = 8, lora_dropout: float = 0.1):
        super().__init__(in_features, out_features)
        self.lora_A = nn.Parameter(self.weight.new_zeros((r, in_features)))
        self.lora_B = nn.Parameter(self.weight.new_zeros((out_features, r)))
        self.drop = nn.Dropout(lora_dropout)
        self.scaling = lora_alpha / r
        nn.init.kaiming_uniform_(self.lora_A, a=math.sqrt(5))
        nn.init.zeros_(self.lora_B)

    def forward(self, x: Tensor) -> Tensor:
        out = F.linear(x, self.weight, self.bias)
        return out + (self.drop(x) @ self.lora_A.T @ self.lora_B.T) * self.scaling


class Block(nn.Module):
    def __init__(self, d: int, heads: int):
        super().__init__()
        self.h = heads
        self.ln = nn.LayerNorm(d)
        self.q, self.v = LoRALinear(d, d), LoRALinear(d, d)
        self.k = nn.Linear(d, d)
        self.o = nn.Linear(d, d)

    def forward(self, x: Tensor) -> Tensor:
        b, n, d = x.shape
        y = self.ln(x)
        q, k, v = (m(y).view(b, n, self.h, -1).transpose(1, 2) for m in (self.q, self.k, self.v))
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return x + self.o(a.transpose(1, 2).reshape(b, n, d))


class TinyGPT(nn.Module):
    def __init__(self, vocab=40, d=16, heads=2, depth=2):
        super().__init__()
        self.embed = nn.Embedding(vocab, d)
        self.blocks = nn.Sequential(*[Block(d, heads) for _ in range(depth)])
        self.norm = nn.LayerNorm(d)
        self.lm_head = nn.Linear(d, vocab, bias=False)

    def forward(self, ids: Tensor) -> Tensor:
        return self.lm_head(self.norm(self.blocks(self.embed(ids))))


def mark_only_lora_as_trainable(model: nn.Module) -> None:
    for n, p in model.named_parameters():
        if "lora_" not in n and not n.startswith("lm_head"):
            p.requires_grad = False


def gradflow_probe():
    torch.manual_seed(1)
    model = TinyGPT()
    mark_only_lora_as_trainable(model)
    ids = torch.randint(0, 40, (4, 9))
    logits = model(ids[:, :-1])
    return model, F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
