from __future__ import annotations

from dataclasses import dataclass, field
from typing import Mapping

import torch
from torch import nn
from torch.nn import functional as F


@dataclass(frozen=True)
class TFTParams:
    static_cardinalities: Mapping[str, int] = field(default_factory=lambda: {"store": 54, "item_class": 320})
    known_reals: tuple[str, ...] = ("dayofweek", "promo", "holiday")
    observed_reals: tuple[str, ...] = ("sales", "transactions")
    encoder_steps: int = 30
    decoder_steps: int = 7
    hidden: int = 64
    heads: int = 4
    quantiles: tuple[float, ...] = (0.1, 0.5, 0.9)
    dropout: float = 0.1


class GLU(nn.Module):
    def __init__(self, d_in: int, d_out: int):
        super().__init__()
        self.fc = nn.Linear(d_in, 2 * d_out)

    def forward(self, x):
        return F.glu(self.fc(x), dim=-1)


class GRN(nn.Module):
    def __init__(self, d_in: int, d: int, d_out: int | None = None, ctx: int | None = None, dropout: float = 0.0):
        super().__init__()
        d_out = d_out or d
        self.skip = nn.Linear(d_in, d_out) if d_in != d_out else nn.Identity()
        self.a = nn.Linear(d_in, d)
        self.c = nn.Linear(ctx, d, bias=False) if ctx else None
        self.b = nn.Linear(d, d)
        self.glu = GLU(d, d_out)
        self.norm = nn.LayerNorm(d_out)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, context=None):
        h = self.a(x)
        if self.c is not None and context is not None:
            h = h + self.c(context).unsqueeze(1)
        h = self.b(F.elu(h))
        return self.norm(self.skip(x) + self.glu(self.drop(h)))


class VariableSelection(nn.Module):
    def __init__(self, n: int, d: int, dropout: float):
        super().__init__()
        self.n, self.d = n, d
        self.weights = GRN(n * d, d, n, ctx=d, dropout=dropout)
        self.each = nn.ModuleList(GRN(d, d, dropout=dropout) for _ in range(n))

    def forward(self, x: torch.Tensor, context: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        # x: [batch, time, n, d]
        w = self.weights(x.flatten(-2), context).softmax(-1)
        v = torch.stack([g(x[..., i, :]) for i, g in enumerate(self.each)], dim=-2)
        return (w.unsqueeze(-1) * v).sum(-2), w


class TemporalFusionTransformer(nn.Module):
    def __init__(self, params: TFTParams):
        super().__init__()
        self.p = p = params
        d = p.hidden
        self.static_emb = nn.ModuleDict({k: nn.Embedding(n, d) for k, n in p.static_cardinalities.items()})
        self.known_proj = nn.ModuleDict({k: nn.Linear(1, d) for k in p.known_reals})
        self.observed_proj = nn.ModuleDict({k: nn.Linear(1, d) for k in p.observed_reals})
        self.past_select = VariableSelection(len(p.known_reals) + len(p.observed_reals), d, p.dropout)
        self.future_select = VariableSelection(len(p.known_reals), d, p.dropout)
        self.static_ctx = GRN(d * len(p.static_cardinalities), d, dropout=p.dropout)
        self.encoder = nn.LSTM(d, d, batch_first=True)
        self.decoder = nn.LSTM(d, d, batch_first=True)
        self.gate = GLU(d, d)
        self.norm = nn.LayerNorm(d)
        self.attn = nn.MultiheadAttention(d, p.heads, dropout=p.dropout, batch_first=True)
        self.post = GRN(d, d, dropout=p.dropout)
        self.out = nn.Linear(d, len(p.quantiles))

    def forward(self, batch: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        p = self.p
        static = torch.cat([emb(batch[k]) for k, emb in self.static_emb.items()], dim=-1)
        ctx = self.static_ctx(static.unsqueeze(1)).squeeze(1)
        known = torch.stack([proj(batch[k].unsqueeze(-1)) for k, proj in self.known_proj.items()], dim=-2)
        observed = torch.stack([proj(batch[k].unsqueeze(-1)) for k, proj in self.observed_proj.items()], dim=-2)
        assert known.size(1) == p.encoder_steps + p.decoder_steps
        assert observed.size(1) == p.encoder_steps
        past = torch.cat([known[:, : p.encoder_steps], observed], dim=-2)
        past, past_w = self.past_select(past, ctx)
        future, _ = self.future_select(known[:, p.encoder_steps :], ctx)
        enc, state = self.encoder(past, (ctx[None].contiguous(), ctx[None].contiguous()))
        dec, _ = self.decoder(future, state)
        seq = torch.cat([enc, dec], 1)
        seq = self.norm(torch.cat([past, future], 1) + self.gate(seq))
        T = seq.size(1)
        mask = torch.ones(T, T, dtype=torch.bool, device=seq.device).triu(1)
        att, weights = self.attn(seq, seq, seq, attn_mask=mask)
        y = self.post(seq + att)[:, -p.decoder_steps :]
        return {"prediction": self.out(y), "encoder_weights": past_w, "attention": weights}
