import math
import random

import torch
from torch import nn
from torch.nn import functional as F


class PixelNorm(nn.Module):
    def forward(self, input):
        return input / torch.sqrt(torch.mean(input ** 2, dim=1, keepdim=True) + 1e-8)


class EqualLinear(nn.Module):
    def __init__(self, in_dim, out_dim, bias=True, bias_init=0, lr_mul=1):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(out_dim, in_dim).div_(lr_mul))
        self.bias = nn.Parameter(torch.zeros(out_dim).fill_(bias_init)) if bias else None
        self.scale = (1 / math.sqrt(in_dim)) * lr_mul
        self.lr_mul = lr_mul

    def forward(self, input):
        return F.linear(input, self.weight * self.scale, bias=self.bias * self.lr_mul)


class ModulatedConv2d(nn.Module):
    def __init__(self, in_channel, out_channel, kernel_size, style_dim, demodulate=True, upsample=False):
        super().__init__()
        self.in_channel, self.out_channel, self.kernel_size = in_channel, out_channel, kernel_size
        self.upsample = upsample
        self.scale = 1 / math.sqrt(in_channel * kernel_size ** 2)
        self.weight = nn.Parameter(torch.randn(1, out_channel, in_channel, kernel_size, kernel_size))
        self.modulation = EqualLinear(style_dim, in_channel, bias_init=1)
        self.demodulate = demodulate

    def forward(self, input, style):
        batch, in_channel, height, width = input.shape
        style = self.modulation(style).view(batch, 1, in_channel, 1, 1)
        weight = self.scale * self.weight * style
        if self.demodulate:
            demod = torch.rsqrt(weight.pow(2).sum([2, 3, 4]) + 1e-8)
            weight = weight * demod.view(batch, self.out_channel, 1, 1, 1)
        weight = weight.view(batch * self.out_channel, in_channel, self.kernel_size, self.kernel_size)
        if self.upsample:
            input = F.interpolate(input, scale_factor=2, mode='nearest')
            height, width = input.shape[-2:]
        input = input.view(1, batch * in_channel, height, width)
        out = F.conv2d(input, weight, padding=self.kernel_size // 2, groups=batch)
        return out.view(batch, self.out_channel, height, width)


class StyledConv(nn.Module):
    def __init__(self, in_channel, out_channel, style_dim, upsample=False):
        super().__init__()
        self.conv = ModulatedConv2d(in_channel, out_channel, 3, style_dim, upsample=upsample)
        self.noise_weight = nn.Parameter(torch.zeros(1))
        self.bias = nn.Parameter(torch.zeros(1, out_channel, 1, 1))

    def forward(self, input, style, noise=None):
        out = self.conv(input, style)
        if noise is None:
            noise = out.new_empty(out.shape[0], 1, out.shape[2], out.shape[3]).normal_()
        return F.leaky_relu(out + self.noise_weight * noise + self.bias, 0.2)


class StyledGenerator(nn.Module):
    def __init__(self, size, style_dim, n_mlp, channel_multiplier=2):
        super().__init__()
        self.size = size
        self.style_dim = style_dim
        layers = [PixelNorm()]
        for i in range(n_mlp):
            layers.append(EqualLinear(style_dim, style_dim, lr_mul=0.01))
        self.style = nn.Sequential(*layers)
        self.channels = {4: 64, 8: 64, 16: 32 * channel_multiplier, 32: 16 * channel_multiplier, 64: 8 * channel_multiplier}
        self.input = nn.Parameter(torch.randn(1, self.channels[4], 4, 4))
        self.conv1 = StyledConv(self.channels[4], self.channels[4], style_dim)
        self.log_size = int(math.log(size, 2))
        self.num_layers = (self.log_size - 2) + 1
        self.convs = nn.ModuleList()
        in_channel = self.channels[4]
        for i in range(3, self.log_size + 1):
            out_channel = self.channels[2 ** i]
            self.convs.append(StyledConv(in_channel, out_channel, style_dim, upsample=True))
            in_channel = out_channel
        self.to_rgb = nn.Conv2d(in_channel, 3, 1)
        self.n_latent = self.log_size - 1

    def forward(self, styles, return_latents=False, inject_index=None, noise=None):
        styles = [self.style(s) for s in styles]
        if noise is None:
            noise = [None] * self.num_layers
        if len(styles) < 2:
            inject_index = self.n_latent
            latent = styles[0].unsqueeze(1).repeat(1, inject_index, 1)
        else:
            if inject_index is None:
                inject_index = random.randint(1, self.n_latent - 1)
            latent = styles[0].unsqueeze(1).repeat(1, inject_index, 1)
            latent2 = styles[1].unsqueeze(1).repeat(1, self.n_latent - inject_index, 1)
            latent = torch.cat([latent, latent2], 1)
        out = self.input.repeat(latent.shape[0], 1, 1, 1)
        out = self.conv1(out, latent[:, 0], noise=noise[0])
        for i, conv in enumerate(self.convs, 1):
            out = conv(out, latent[:, i], noise=noise[i])
        image = self.to_rgb(out)
        if return_latents:
            return image, latent
        return image, None
