import torch
import torch.nn as nn
import torch.nn.functional as F


class HardReader(nn.Module):
    """Reads exactly one memory slot."""

    def __init__(self, query_dim, slot_dim, classes):
        super().__init__()
        self.query = nn.Linear(query_dim, slot_dim)
        self.key = nn.Linear(slot_dim, slot_dim)
        self.value = nn.Linear(slot_dim, slot_dim)
        self.classify = nn.Linear(slot_dim, classes)

    def forward(self, q, slots):
        att = torch.einsum("bd,bnd->bn", self.query(q), self.key(slots)).softmax(-1)
        chosen = F.one_hot(att.argmax(-1), slots.size(1)).float()
        read = torch.einsum("bn,bnd->bd", chosen, self.value(slots))
        return self.classify(read)


def gradflow_probe():
    torch.manual_seed(0)
    model = HardReader(6, 8, 3)
    out = model(torch.randn(12, 6), torch.randn(12, 5, 8))
    return model, F.cross_entropy(out, torch.randint(0, 3, (12,)))
