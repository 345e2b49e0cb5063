import math
from typing import Optional

import torch
from torch import nn, Tensor


class DataEmbedding(nn.Module):
    def __init__(self, c_in, d_model, freq_map={'h': 4, 't': 5, 'd': 3}, freq='h', dropout=0.1):
        super().__init__()
        self.value_embedding = nn.Conv1d(c_in, d_model, kernel_size=3, padding=1, padding_mode='circular')
        self.temporal_embedding = nn.Linear(freq_map[freq], d_model, bias=False)
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, x, x_mark):
        x = self.value_embedding(x.permute(0, 2, 1)).transpose(1, 2)
        return self.dropout(x + self.temporal_embedding(x_mark))


class TimeSeriesTransformer(nn.Module):
    def __init__(self, enc_in, dec_in, c_out, seq_len, label_len, out_len, d_model=64, n_heads=4, e_layers=2, d_layers=1):
        super().__init__()
        self.pred_len = out_len
        self.label_len = label_len
        self.enc_embedding = DataEmbedding(enc_in, d_model)
        self.dec_embedding = DataEmbedding(dec_in, d_model)
        self.core = nn.Transformer(d_model, n_heads, e_layers, d_layers, 4 * d_model, batch_first=True)
        self.projection = nn.Linear(d_model, c_out, bias=True)

    def forward(self, x_enc, x_mark_enc, x_dec, x_mark_dec, enc_self_mask=None, dec_self_mask=None):
        enc = self.enc_embedding(x_enc, x_mark_enc)
        dec = self.dec_embedding(x_dec, x_mark_dec)
        out = self.core(enc, dec, src_mask=enc_self_mask, tgt_mask=dec_self_mask)
        out = self.projection(out)
        return out[:, -self.pred_len:, :]  # [B, L, D]
