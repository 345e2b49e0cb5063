import logging
import torch
import torch.nn as nn

logger = logging.getLogger(__name__)
BN_MOMENTUM = 0.1


def conv3x3(in_planes, out_planes, stride=1):
    """3x3 convolution with padding"""
    return nn.Conv2d(in_planes, out_planes, kernel_size=3, stride=stride, padding=1, bias=False)


class BasicBlock(nn.Module):
    expansion = 1

    def __init__(self, inplanes, planes, stride=1, downsample=None):
        super(BasicBlock, self).__init__()
        self.conv1 = conv3x3(inplanes, planes, stride)
        self.bn1 = nn.BatchNorm2d(planes, momentum=BN_MOMENTUM)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = conv3x3(planes, planes)
        self.bn2 = nn.BatchNorm2d(planes, momentum=BN_MOMENTUM)
        self.downsample = downsample

    def forward(self, x):
        residual = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        if self.downsample is not None:
            residual = self.downsample(x)
        return self.relu(out + residual)


blocks_dict = {'BASIC': BasicBlock}


class HRNet(nn.Module):
    def __init__(self, cfg, **kwargs):
        self.inplanes = 16
        extra = cfg['MODEL']['EXTRA']
        super(HRNet, self).__init__()
        self.conv1 = nn.Conv2d(3, 16, kernel_size=3, stride=2, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(16, momentum=BN_MOMENTUM)
        self.relu = nn.ReLU(inplace=True)
        self.stage_cfg = extra['STAGE2']
        num_channels = self.stage_cfg['NUM_CHANNELS']
        block = blocks_dict[self.stage_cfg['BLOCK']]
        num_channels = [num_channels[i] * block.expansion for i in range(len(num_channels))]
        self.branches = nn.ModuleList([
            self._make_layer(block, num_channels[i], self.stage_cfg['NUM_BLOCKS'][i], stride=2 ** i)
            for i in range(self.stage_cfg['NUM_BRANCHES'])])
        self.final_layer = nn.Conv2d(
            in_channels=num_channels[0],
            out_channels=cfg['MODEL']['NUM_JOINTS'],
            kernel_size=extra['FINAL_CONV_KERNEL'],
            stride=1,
            padding=1 if extra['FINAL_CONV_KERNEL'] == 3 else 0
        )
        self.fuse = nn.ModuleList([nn.Conv2d(c, num_channels[0], 1) for c in num_channels[1:]])

    def _make_layer(self, block, planes, blocks, stride=1):
        inplanes = self.inplanes
        downsample = None
        if stride != 1 or inplanes != planes * block.expansion:
            downsample = nn.Sequential(
                nn.Conv2d(inplanes, planes * block.expansion, kernel_size=1, stride=stride, bias=False),
                nn.BatchNorm2d(planes * block.expansion, momentum=BN_MOMENTUM),
            )
        layers = [block(inplanes, planes, stride, downsample)]
        for i in range(1, blocks):
            layers.append(block(planes, planes))
        return nn.Sequential(*layers)

    def forward(self, x):
        x = self.relu(self.bn1(self.conv1(x)))
        y_list = [branch(x) for branch in self.branches]
        y = y_list[0]
        for conv, other in zip(self.fuse, y_list[1:]):
            y = y + nn.functional.interpolate(conv(other), size=y.shape[-2:])
        return self.final_layer(y)
