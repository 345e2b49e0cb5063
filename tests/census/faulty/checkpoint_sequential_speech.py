import torch
from torch import nn
from torch.utils.checkpoint import checkpoint_sequential


def layer(cin, cout, k):
    return nn.Sequential(nn.Conv1d(cin, cout, k, padding=k // 2), nn.GroupNorm(1, cout), nn.GELU())


class Recogniser(nn.Module):
    def __init__(self, mels=12, width=16, depth=4, chars=9):
        super().__init__()
        self.stack = nn.Sequential(layer(mels, width, 5), *[layer(width, width, 3) for _ in range(depth - 1)])
        self.ctc = nn.Linear(width, chars)

    def forward(self, mel):
        h = checkpoint_sequential(self.stack, 2, mel, use_reentrant=True)
        return self.ctc(h.transpose(1, 2)).log_softmax(-1)


def gradflow_probe():
    torch.manual_seed(0)
    net = Recogniser()
    lp = net(torch.randn(3, 12, 20)).transpose(0, 1)
    targets = torch.randint(1, 9, (3, 5))
    loss = nn.functional.ctc_loss(lp, targets, torch.full((3,), 20), torch.full((3,), 5))
    return net, loss
