from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class ModelArgs:
    dim: int = 4096
    n_layer: int = 32
    n_head: int = 32
    vocab_size: int = 32000
    norm_eps: float = 1e-5

    @property
    def head_dim(self):
        return self.dim // self.n_head


class Block(nn.Module):
    def __init__(self, args: ModelArgs):
        super().__init__()
        self.n_head, self.head_dim = args.n_head, args.head_dim
        self.qkv = nn.Linear(args.dim, 3 * args.dim, bias=False)
        self.out = nn.Linear(args.dim, args.dim, bias=False)
        self.up = nn.Linear(args.dim, 4 * args.dim)
        self.down = nn.Linear(4 * args.dim, args.dim)
        self.norm1 = nn.LayerNorm(args.dim, eps=args.norm_eps)
        self.norm2 = nn.LayerNorm(args.dim, eps=args.norm_eps)

    def forward(self, x, positions):
        b, t, d = x.shape
        q, k, v = (part.view(b, t, self.n_head, self.head_dim).transpose(1, 2) for part in self.qkv(self.norm1(x)).chunk(3, -1))
        q, k = q * positions, k * positions
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(b, t, d))
        return x + self.down(F.silu(self.up(self.norm2(x))))


class CachedDecoder(nn.Module):
    def __init__(self, args: ModelArgs):
        super().__init__()
        self.args = args
        self.tokens = nn.Embedding(args.vocab_size, args.dim)
        self.blocks = nn.ModuleList(Block(args) for _ in range(args.n_layer))
        self.norm = nn.LayerNorm(args.dim, eps=args.norm_eps)
        self.head = nn.Linear(args.dim, args.vocab_size, bias=False)
        self.positions = None

    def setup_positions(self, max_seq_length):
        angles = torch.outer(torch.arange(max_seq_length), 10000.0 ** -torch.linspace(0, 1, self.args.head_dim))
        self.positions = angles.cos()

    def forward(self, idx):
        assert self.positions is not None, "call setup_positions first"
        x = self.tokens(idx)
        for block in self.blocks:
            x = block(x, self.positions[: idx.size(1)])
        return self.head(self.norm(x))
