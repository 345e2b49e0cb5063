import copy
import torch
from torch import nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self, v=20, d=12):
        super().__init__()
        self.wte = nn.Embedding(v, d)
        self.mix = nn.Conv1d(d, d, 3, padding=2)
        self.head = nn.Linear(d, v)

    def forward(self, ids):
        h = self.wte(ids)
        h = h + torch.relu(self.mix(h.transpose(1, 2))[..., : ids.size(1)]).transpose(1, 2)
        return self.head(h)


def seq_logp(net, ids, mask):
    lp = net(ids[:, :-1]).log_softmax(-1).gather(2, ids[:, 1:].unsqueeze(2)).squeeze(2)
    return (lp * mask[:, 1:]).sum(-1)


class DPO(nn.Module):
    def __init__(self, net, beta=0.1):
        super().__init__()
        self.policy = net
        self.ref = copy.deepcopy(net).eval()
        self.ref.requires_grad_(False)
        self.beta = beta

    def forward(self, chosen, rejected, mask):
        with torch.no_grad():
            rc, rr = seq_logp(self.ref, chosen, mask), seq_logp(self.ref, rejected, mask)
        pc, pr = seq_logp(self.policy, chosen, mask), seq_logp(self.policy, rejected, mask)
        logits = (pc - rc) - (pr - rr)
        stats = {"margin": (self.beta * logits).detach().mean().item(), "acc": (logits > 0).float().mean().item()}
        return -F.logsigmoid(self.beta * logits).mean(), stats


def gradflow_probe():
    torch.manual_seed(0)
    dpo = DPO(Net())
    loss, stats = dpo(torch.randint(0, 20, (4, 8)), torch.randint(0, 20, (4, 8)), torch.ones(4, 8))
    return dpo, loss
