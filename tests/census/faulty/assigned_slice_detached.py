import torch
from torch import nn


class Inpaint(nn.Module):
    def __init__(self):
        super().__init__()
        self.coarse = nn.Conv2d(2, 1, 3, padding=1)
        self.fine = nn.Conv2d(1, 1, 3, padding=1)

    def forward(self, img, hole):
        guess = self.coarse(torch.cat([img * (1 - hole), hole], 1))
        canvas = img.clone()
        m = hole.bool()
        canvas[m] = guess.detach()[m]
        return self.fine(canvas)


def gradflow_probe():
    torch.manual_seed(0)
    net = Inpaint()
    img = torch.rand(2, 1, 8, 8)
    hole = (torch.rand(2, 1, 8, 8) > 0.7).float()
    return net, nn.functional.l1_loss(net(img, hole), img)
