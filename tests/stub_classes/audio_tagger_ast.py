"""Audio Spectrogram Transformer (small), trained on FSD50K."""
import math
from dataclasses import dataclass, field
from typing import Optional, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class ASTConfig:
    sample_rate: int = 16000
    n_fft: int = 400
    hop_length: int = 160
    n_mels: int = 64
    patch_size: Tuple[int, int] = (16, 16)
    max_frames: int = 1024
    embed_dim: int = 192
    depth: int = 4
    num_heads: int = 3
    mlp_ratio: float = 4.0
    dropout: float = 0.1
    num_classes: int = 200


def hz_to_mel(hz):
    return 2595.0 * math.log10(1.0 + hz / 700.0)


def mel_filterbank(n_mels: int, n_fft: int, sr: int) -> torch.Tensor:
    freqs = torch.linspace(0, sr / 2, n_fft // 2 + 1)
    mels = torch.linspace(hz_to_mel(0.0), hz_to_mel(sr / 2), n_mels + 2)
    hz = 700.0 * (10 ** (mels / 2595.0) - 1.0)
    down = (freqs[None] - hz[:-2, None]) / (hz[1:-1] - hz[:-2])[:, None]
    up = (hz[2:, None] - freqs[None]) / (hz[2:] - hz[1:-1])[:, None]
    return torch.clamp(torch.minimum(down, up), min=0.0)


class Block(nn.Module):
    def __init__(self, cfg: ASTConfig):
        super().__init__()
        self.norm1 = nn.LayerNorm(cfg.embed_dim)
        self.attn = nn.MultiheadAttention(cfg.embed_dim, cfg.num_heads, dropout=cfg.dropout, batch_first=True)
        self.norm2 = nn.LayerNorm(cfg.embed_dim)
        hidden = int(cfg.embed_dim * cfg.mlp_ratio)
        self.mlp = nn.Sequential(
            nn.Linear(cfg.embed_dim, hidden), nn.GELU(), nn.Dropout(cfg.dropout), nn.Linear(hidden, cfg.embed_dim)
        )

    def forward(self, x):
        h = self.norm1(x)
        x = x + self.attn(h, h, h, need_weights=False)[0]
        return x + self.mlp(self.norm2(x))


class AudioSpectrogramTransformer(nn.Module):
    def __init__(self, cfg: Optional[ASTConfig] = None):
        super().__init__()
        self.cfg = cfg or ASTConfig()
        cfg = self.cfg
        self.register_buffer("window", torch.hann_window(cfg.n_fft), persistent=False)
        self.register_buffer("fbank", mel_filterbank(cfg.n_mels, cfg.n_fft, cfg.sample_rate), persistent=False)
        self.patch_embed = nn.Conv2d(1, cfg.embed_dim, kernel_size=cfg.patch_size, stride=cfg.patch_size)
        n_patches = (cfg.n_mels // cfg.patch_size[0]) * (cfg.max_frames // cfg.patch_size[1])
        self.cls_token = nn.Parameter(torch.zeros(1, 1, cfg.embed_dim))
        self.pos_embed = nn.Parameter(torch.zeros(1, n_patches + 1, cfg.embed_dim))
        self.blocks = nn.ModuleList([Block(cfg) for _ in range(cfg.depth)])
        self.norm = nn.LayerNorm(cfg.embed_dim)
        self.head = nn.Linear(cfg.embed_dim, cfg.num_classes)
        nn.init.trunc_normal_(self.pos_embed, std=0.02)

    def logmel(self, wav: torch.Tensor) -> torch.Tensor:
        spec = torch.stft(
            wav, self.cfg.n_fft, self.cfg.hop_length, window=self.window, return_complex=True
        ).abs().pow(2)
        mel = torch.matmul(self.fbank, spec)
        return (mel + 1e-6).log()

    def forward(self, waveform: torch.Tensor) -> torch.Tensor:
        """
        Args:
            waveform: (batch, samples) mono audio in [-1, 1]
        """
        x = self.logmel(waveform).unsqueeze(1)
        if x.size(-1) > self.cfg.max_frames:
            x = x[..., : self.cfg.max_frames]
        x = self.patch_embed(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls_token.expand(x.size(0), -1, -1), x], dim=1)
        x = x + self.pos_embed[:, : x.size(1)]
        for blk in self.blocks:
            x = blk(x)
        return self.head(self.norm(x)[:, 0])
