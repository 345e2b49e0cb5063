import torch
import torch.nn as nn


class WholePicture(nn.Module):
    """Looks at all of a picture at once, so its size has to be known."""

    def __init__(self, input_nc, output_nc, ngf=32, img_size=256):
        super(WholePicture, self).__init__()
        self.down = nn.Sequential(
            nn.ReflectionPad2d(3),
            nn.Conv2d(input_nc, ngf, 7, bias=False),
            nn.ReLU(True),
            nn.Conv2d(ngf, ngf * 2, 3, stride=2, padding=1),
            nn.ReLU(True),
            nn.Conv2d(ngf * 2, ngf * 4, 3, stride=2, padding=1),
        )
        self.whole = nn.Sequential(
            nn.Linear(img_size // 4 * img_size // 4 * ngf * 4, 64, bias=False), nn.ReLU(True), nn.Linear(64, ngf * 4)
        )
        self.up = nn.Sequential(nn.Upsample(scale_factor=4, mode="nearest"), nn.Conv2d(ngf * 4, output_nc, 3, padding=1))

    def forward(self, input):
        x = self.down(input)
        style = self.whole(x.view(x.shape[0], -1))
        return torch.tanh(self.up(x * style[:, :, None, None]))
