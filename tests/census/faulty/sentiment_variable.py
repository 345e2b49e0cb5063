"""Ported from a 0.3-era repository."""
import torch
import torch.nn as nn
from torch.autograd import Variable


class CNNText(nn.Module):
    def __init__(self, V=60, D=12, kernels=(2, 3, 4), C=2):
        super(CNNText, self).__init__()
        self.embed = nn.Embedding(V, D)
        self.convs1 = nn.ModuleList([nn.Conv2d(1, 6, (K, D)) for K in kernels])
        self.dropout = nn.Dropout(0.1)
        self.fc1 = nn.Linear(6 * len(kernels), C)
        self.static = True

    def forward(self, x):
        x = self.embed(x)
        if self.static:
            x = Variable(x.data)
        x = x.unsqueeze(1)
        x = [nn.functional.relu(conv(x)).squeeze(3) for conv in self.convs1]
        x = [nn.functional.max_pool1d(i, i.size(2)).squeeze(2) for i in x]
        return self.fc1(self.dropout(torch.cat(x, 1)))


def gradflow_probe():
    torch.manual_seed(0)
    model = CNNText()
    logit = model(torch.randint(0, 60, (8, 11)))
    return model, nn.functional.cross_entropy(logit, torch.randint(0, 2, (8,)))
