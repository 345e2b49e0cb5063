import torch
from torch import nn
import torch.nn.functional as F


class MultiExit(nn.Module):
    EXIT_WEIGHTS = (0.2, 0.3, 1.0)

    def __init__(self, n=10, w=20, k=4):
        super().__init__()
        self.stages, self.exits = nn.ModuleList(), nn.ModuleList()
        for i in range(3):
            self.stages.append(nn.Sequential(nn.Linear(n if i == 0 else w, w), nn.PReLU()))
            self.exits.append(nn.Linear(w, k))

    def forward(self, x):
        outs = []
        for s, e in zip(self.stages, self.exits):
            x = s(x)
            outs.append(e(x))
        return outs

    @torch.no_grad()
    def exit_at(self, outs, tau=0.9):
        conf = torch.stack([o.softmax(-1).amax(-1) for o in outs])
        return (conf > tau).float().argmax(0)


def gradflow_probe():
    torch.manual_seed(0)
    m = MultiExit()
    x, y = torch.randn(16, 10), torch.arange(16) % 4
    outs = m(x)
    m.last_exits = m.exit_at(outs).tolist()
    return m, sum(w * F.cross_entropy(o, y) for w, o in zip(m.EXIT_WEIGHTS, outs))
