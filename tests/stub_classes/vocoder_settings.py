import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn import Conv1d, ConvTranspose1d
from torch.nn.utils import weight_norm

SLOPE = 0.1


def get_padding(kernel_size, dilation=1):
    return int((kernel_size * dilation - dilation) / 2)


class Residual(nn.Module):
    def __init__(self, channels, kernel_size=3, dilation=(1, 3)):
        super().__init__()
        self.convs = nn.ModuleList(
            weight_norm(Conv1d(channels, channels, kernel_size, 1, dilation=d, padding=get_padding(kernel_size, d)))
            for d in dilation
        )

    def forward(self, x):
        for conv in self.convs:
            x = x + conv(F.leaky_relu(x, SLOPE))
        return x


class Vocoder(nn.Module):
    def __init__(self, h):
        super().__init__()
        self.num_kernels = len(h.resblock_kernel_sizes)
        self.pre = weight_norm(Conv1d(80, h.upsample_initial_channel, 7, 1, padding=3))
        self.ups = nn.ModuleList()
        self.blocks = nn.ModuleList()
        for i, (rate, kernel) in enumerate(zip(h.upsample_rates, h.upsample_kernel_sizes)):
            wide, ch = h.upsample_initial_channel // 2**i, h.upsample_initial_channel // 2 ** (i + 1)
            self.ups.append(weight_norm(ConvTranspose1d(wide, ch, kernel, rate, padding=(kernel - rate) // 2)))
            for size, dilations in zip(h.resblock_kernel_sizes, h.resblock_dilation_sizes):
                self.blocks.append(Residual(ch, size, dilations))
        self.post = weight_norm(Conv1d(ch, 1, 7, 1, padding=3))

    def forward(self, x):
        x = self.pre(x)
        for i, up in enumerate(self.ups):
            x = up(F.leaky_relu(x, SLOPE))
            x = sum(self.blocks[i * self.num_kernels + j](x) for j in range(self.num_kernels)) / self.num_kernels
        return torch.tanh(self.post(F.leaky_relu(x)))
