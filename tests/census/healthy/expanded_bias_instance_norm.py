import torch
from torch import nn
import torch.nn.functional as F


class UpBlock(nn.Module):
    def __init__(self, cin, cout, last=False):
        super().__init__()
        self.kernel = nn.Parameter(torch.empty(cin, cout, 2, 2))
        nn.init.xavier_uniform_(self.kernel)
        self.bias = nn.Parameter(torch.randn(cout, 1, 1) * 0.01)

    def forward(self, x):
        y = F.conv_transpose2d(x, self.kernel, stride=2) + self.bias
        return F.leaky_relu(F.instance_norm(y), 0.2)


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.decode = nn.Sequential(UpBlock(6, 6), UpBlock(6, 4))
        self.rgb = nn.Conv2d(4, 3, 3, padding=1)

    def forward(self, z):
        return torch.sigmoid(self.rgb(self.decode(z)))


def gradflow_probe():
    torch.manual_seed(0)
    d = Decoder()
    return d, F.mse_loss(d(torch.randn(3, 6, 3, 3)), torch.rand(3, 3, 12, 12))
