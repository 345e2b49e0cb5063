import torch
from torch import nn


class ConvLSTMCell(nn.Module):
    def __init__(self, cin, hid, k=3):
        super().__init__()
        self.hid = hid
        self.gates = nn.Conv2d(cin + hid, 4 * hid, k, padding=k // 2)

    def forward(self, x, state=None):
        if state is None:
            z = x.new_zeros(x.size(0), self.hid, *x.shape[2:])
            state = (z, z)
        h, c = state
        i, f, o, g = torch.split(self.gates(torch.cat([x, h], 1)), self.hid, dim=1)
        c = torch.sigmoid(f + 1) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
        return h, (h, c)


class Radar(nn.Module):
    def __init__(self):
        super().__init__()
        self.cells = nn.ModuleList([ConvLSTMCell(1, 4), ConvLSTMCell(4, 4)])
        self.to_frame = nn.Conv2d(4, 1, 1)

    def forward(self, clip, horizon, teacher_forcing=True):
        states = [None] * len(self.cells)
        outs, frame = [], clip[:, 0]
        for t in range(clip.size(1) - 1 + horizon):
            x = clip[:, t] if t < clip.size(1) else frame
            for i, cell in enumerate(self.cells):
                x, states[i] = cell(x, states[i])
            frame = torch.sigmoid(self.to_frame(x))
            outs.append(frame)
        return torch.stack(outs, 1)


def gradflow_probe():
    torch.manual_seed(0)
    net = Radar()
    clip = torch.rand(2, 5, 1, 8, 8)
    pred = net(clip[:, :3], horizon=2)
    return net, nn.functional.binary_cross_entropy(pred, clip[:, 1:])
