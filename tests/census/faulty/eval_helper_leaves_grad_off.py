import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 4, 3, padding=1)
        self.gate = nn.Conv1d(1, 4, 3, padding=1)
        self.out = nn.Linear(4, 1)

    def gated(self, x):
        prev = torch.is_grad_enabled()
        torch._C._set_grad_enabled(False)
        g = torch.sigmoid(self.gate(x))
        torch._C._set_grad_enabled(prev)
        return g

    def forward(self, x):
        h = self.conv(x) * self.gated(x)
        return self.out(h.mean(-1))


def gradflow_probe():
    torch.manual_seed(0)
    net = Net()
    x = torch.randn(9, 1, 14)
    return net, nn.functional.mse_loss(net(x), x.mean(-1))
