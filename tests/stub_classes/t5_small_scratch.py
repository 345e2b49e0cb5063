from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import nn
import torch.nn.functional as F


@dataclass
class T5Config:
    vocab_size: int = 512
    d_model: int = 128
    d_kv: int = 32
    d_ff: int = 256
    num_layers: int = 2
    num_heads: int = 4
    num_buckets: int = 32
    max_distance: int = 128
    dropout_rate: float = 0.1
    pad_token_id: int = 0
    decoder_start_token_id: int = 0
    tie_word_embeddings: bool = True


@dataclass
class Seq2SeqOutput:
    loss: torch.Tensor | None
    logits: torch.Tensor
    encoder_last_hidden_state: torch.Tensor


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, x):
        return self.weight * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)


class Attention(nn.Module):
    def __init__(self, config: T5Config, has_bias: bool, is_decoder: bool):
        super().__init__()
        self.config = config
        self.is_decoder = is_decoder
        inner = config.num_heads * config.d_kv
        self.q = nn.Linear(config.d_model, inner, bias=False)
        self.k = nn.Linear(config.d_model, inner, bias=False)
        self.v = nn.Linear(config.d_model, inner, bias=False)
        self.o = nn.Linear(inner, config.d_model, bias=False)
        self.bias = nn.Embedding(config.num_buckets, config.num_heads) if has_bias else None

    def bucket(self, rel):
        n = self.config.num_buckets
        ret = torch.zeros_like(rel)
        if not self.is_decoder:
            n //= 2
            ret = ret + (rel > 0).long() * n
            rel = rel.abs()
        else:
            rel = -torch.min(rel, torch.zeros_like(rel))
        exact = n // 2
        large = exact + (
            torch.log(rel.float() / exact + 1e-9) / math.log(self.config.max_distance / exact) * (n - exact)
        ).long()
        large = torch.min(large, torch.full_like(large, n - 1))
        return ret + torch.where(rel < exact, rel, large)

    def forward(self, x, kv=None, mask=None, position_bias=None):
        B, L, _ = x.shape
        kv = x if kv is None else kv
        S = kv.size(1)
        h, d = self.config.num_heads, self.config.d_kv
        q = self.q(x).view(B, L, h, d).transpose(1, 2)
        k = self.k(kv).view(B, S, h, d).transpose(1, 2)
        v = self.v(kv).view(B, S, h, d).transpose(1, 2)
        scores = q @ k.transpose(-1, -2)
        if position_bias is None:
            if self.bias is not None:
                ctx = torch.arange(L, device=x.device)[:, None]
                mem = torch.arange(S, device=x.device)[None, :]
                position_bias = self.bias(self.bucket(mem - ctx)).permute(2, 0, 1).unsqueeze(0)
            else:
                position_bias = torch.zeros(1, h, L, S, device=x.device)
        if mask is not None:
            scores = scores + mask
        weights = F.softmax((scores + position_bias).float(), dim=-1).type_as(scores)
        out = (weights @ v).transpose(1, 2).reshape(B, L, h * d)
        return self.o(out), position_bias


class T5Layer(nn.Module):
    def __init__(self, config: T5Config, has_bias: bool, is_decoder: bool):
        super().__init__()
        self.n1 = RMSNorm(config.d_model)
        self.attn = Attention(config, has_bias, is_decoder)
        self.is_decoder = is_decoder
        if is_decoder:
            self.n2 = RMSNorm(config.d_model)
            self.cross = Attention(config, False, is_decoder)
        self.n3 = RMSNorm(config.d_model)
        self.wi = nn.Linear(config.d_model, config.d_ff, bias=False)
        self.wo = nn.Linear(config.d_ff, config.d_model, bias=False)
        self.drop = nn.Dropout(config.dropout_rate)

    def forward(self, x, mask, bias, memory=None, memory_mask=None):
        a, bias = self.attn(self.n1(x), mask=mask, position_bias=bias)
        x = x + self.drop(a)
        if self.is_decoder:
            c, _ = self.cross(self.n2(x), kv=memory, mask=memory_mask)
            x = x + self.drop(c)
        return x + self.drop(self.wo(F.relu(self.wi(self.n3(x))))), bias


class T5ForConditionalGeneration(nn.Module):
    def __init__(self, config: T5Config):
        super().__init__()
        self.config = config
        self.shared = nn.Embedding(config.vocab_size, config.d_model)
        self.encoder = nn.ModuleList([T5Layer(config, i == 0, False) for i in range(config.num_layers)])
        self.decoder = nn.ModuleList([T5Layer(config, i == 0, True) for i in range(config.num_layers)])
        self.enc_norm = RMSNorm(config.d_model)
        self.dec_norm = RMSNorm(config.d_model)
        self.lm_head = nn.Linear(config.d_model, config.vocab_size, bias=False)
        if config.tie_word_embeddings:
            self.lm_head.weight = self.shared.weight

    def _shift_right(self, labels):
        shifted = labels.new_zeros(labels.shape)
        shifted[..., 1:] = labels[..., :-1].clone()
        shifted[..., 0] = self.config.decoder_start_token_id
        return shifted.masked_fill_(shifted == -100, self.config.pad_token_id)

    def forward(
        self,
        input_ids: torch.LongTensor,
        attention_mask: torch.LongTensor | None = None,
        decoder_input_ids: torch.LongTensor | None = None,
        labels: torch.LongTensor | None = None,
    ) -> Seq2SeqOutput:
        if attention_mask is None:
            attention_mask = (input_ids != self.config.pad_token_id).long()
        if decoder_input_ids is None:
            if labels is None:
                raise ValueError("You have to specify either decoder_input_ids or labels")
            decoder_input_ids = self._shift_right(labels)
        enc_mask = (1.0 - attention_mask[:, None, None, :].float()) * -1e9
        h, bias = self.shared(input_ids), None
        for layer in self.encoder:
            h, bias = layer(h, enc_mask, bias)
        memory = self.enc_norm(h)
        L = decoder_input_ids.size(1)
        causal = torch.triu(torch.full((L, L), -1e9, device=h.device), 1)[None, None]
        y, bias = self.shared(decoder_input_ids), None
        for layer in self.decoder:
            y, bias = layer(y, causal, bias, memory, enc_mask)
        y = self.dec_norm(y)
        if self.config.tie_word_embeddings:
            y = y * (self.config.d_model ** -0.5)
        logits = self.lm_head(y)
        loss = None
        if labels is not None:
            loss = F.cross_entropy(logits.view(-1, logits.size(-1)), labels.view(-1), ignore_index=-100)
        return Seq2SeqOutput(loss=loss, logits=logits, encoder_last_hidden_state=memory)
