import torch
import torch.nn as nn


def create_conv(in_channels, out_channels, kernel_size, order, num_groups, padding):
    """
    Create a list of modules with together constitute a single conv layer with non-linearity
    and optional batchnorm/groupnorm.
    """
    assert 'c' in order, "Conv layer MUST be present"
    assert order[0] not in 'rle', 'Non-linearity cannot be the first operation in the layer'

    modules = []
    for i, char in enumerate(order):
        if char == 'r':
            modules.append(('ReLU', nn.ReLU(inplace=True)))
        elif char == 'l':
            modules.append(('LeakyReLU', nn.LeakyReLU(inplace=True)))
        elif char == 'c':
            bias = not ('g' in order or 'b' in order)
            modules.append(('conv', nn.Conv3d(in_channels, out_channels, kernel_size, padding=padding, bias=bias)))
        elif char == 'g':
            is_before_conv = i < order.index('c')
            if is_before_conv:
                num_channels = in_channels
            else:
                num_channels = out_channels
            if num_channels < num_groups:
                num_groups = 1
            assert num_channels % num_groups == 0
            modules.append(('groupnorm', nn.GroupNorm(num_groups=num_groups, num_channels=num_channels)))
        elif char == 'b':
            modules.append(('batchnorm', nn.BatchNorm3d(out_channels if i > order.index('c') else in_channels)))
        else:
            raise ValueError(f"Unsupported layer type '{char}'. MUST be one of ['b', 'g', 'r', 'l', 'c']")
    return modules


class SingleConv(nn.Sequential):
    def __init__(self, in_channels, out_channels, kernel_size=3, order='gcr', num_groups=8, padding=1):
        super(SingleConv, self).__init__()
        for name, module in create_conv(in_channels, out_channels, kernel_size, order, num_groups, padding=padding):
            self.add_module(name, module)


class UNet3D(nn.Module):
    def __init__(self, in_channels, out_channels, f_maps=8, layer_order='gcr', num_groups=8, num_levels=3, is_segmentation=True):
        super().__init__()
        if isinstance(f_maps, int):
            f_maps = [f_maps * 2 ** k for k in range(num_levels)]
        assert isinstance(f_maps, list) or isinstance(f_maps, tuple)
        assert len(f_maps) > 1, "Required at least 2 levels in the U-Net"
        self.encoders = nn.ModuleList([
            SingleConv(in_channels if i == 0 else f_maps[i - 1], f, order=layer_order, num_groups=num_groups)
            for i, f in enumerate(f_maps)])
        self.pool = nn.MaxPool3d(2)
        rev = list(reversed(f_maps))
        self.decoders = nn.ModuleList([
            SingleConv(rev[i] + rev[i + 1], rev[i + 1], order=layer_order, num_groups=num_groups) for i in range(len(rev) - 1)])
        self.final_conv = nn.Conv3d(f_maps[0], out_channels, 1)
        self.final_activation = nn.Sigmoid() if is_segmentation else None

    def forward(self, x):
        feats = []
        for i, enc in enumerate(self.encoders):
            if i:
                x = self.pool(x)
            x = enc(x)
            feats.insert(0, x)
        feats = feats[1:]
        for dec, f in zip(self.decoders, feats):
            x = nn.functional.interpolate(x, size=f.size()[2:], mode='nearest')
            x = dec(torch.cat((f, x), dim=1))
        x = self.final_conv(x)
        if not self.training and self.final_activation is not None:
            x = self.final_activation(x)
        return x
