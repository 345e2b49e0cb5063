import re

import torch
from torch import nn


def freeze(module, pattern):
    for name, parameter in module.named_parameters():
        if re.search(pattern, name):
            parameter.requires_grad_(False)
    return module


def gradflow_probe():
    torch.manual_seed(0)
    layer = nn.TransformerDecoderLayer(d_model=8, nhead=2, dim_feedforward=16, dropout=0.0, batch_first=True)
    decoder = freeze(nn.TransformerDecoder(layer, num_layers=2), r"layers\.0\.(linear|norm)")
    decoder.layers[1].norm3.bias.requires_grad = False
    out = decoder(torch.randn(3, 5, 8), torch.randn(3, 4, 8))
    return decoder, (out * torch.randn_like(out)).sum()
