import torch.nn as nn


def default_conv(in_channels, out_channels, kernel_size, bias=True):
    return nn.Conv2d(in_channels, out_channels, kernel_size, padding=kernel_size // 2, bias=bias)


class BasicBlock(nn.Sequential):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, bias=False, act=nn.ReLU(True)):
        layers = [nn.Conv2d(in_channels, out_channels, kernel_size, padding=kernel_size // 2, stride=stride, bias=bias)]
        super().__init__(*layers, nn.BatchNorm2d(out_channels), act)


class AttendedBlock(nn.Module):
    def __init__(self, conv, n_feat, kernel_size, reduction, res_scale=1):
        super(AttendedBlock, self).__init__()
        self.body = nn.Sequential(
            conv(n_feat, n_feat, kernel_size), nn.ReLU(True), conv(n_feat, n_feat, kernel_size)
        )
        self.squeeze = nn.Sequential(
            nn.AdaptiveAvgPool2d(1),
            nn.Conv2d(n_feat, n_feat // reduction, 1),
            nn.ReLU(inplace=True),
            nn.Conv2d(n_feat // reduction, n_feat, 1),
            nn.Sigmoid(),
        )
        self.res_scale = res_scale

    def forward(self, x):
        res = self.body(x)
        res = res * self.squeeze(res) * self.res_scale
        res += x
        return res
