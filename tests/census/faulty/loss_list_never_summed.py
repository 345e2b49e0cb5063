import torch
from torch import nn
import torch.nn.functional as F


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Linear(10, 16)
        self.cls = nn.Linear(16, 3)
        self.box = nn.Linear(16, 4)

    def losses(self, x, labels, boxes):
        h = F.relu(self.trunk(x))
        terms = []
        terms.append(F.cross_entropy(self.cls(h), labels))
        terms.append(F.smooth_l1_loss(self.box(h), boxes))
        return terms


def gradflow_probe():
    torch.manual_seed(0)
    model = Detector()
    terms = model.losses(torch.randn(8, 10), torch.randint(0, 3, (8,)), torch.rand(8, 4))
    loss = terms[0]
    return model, loss
