import torch
from torch import nn


def mean_by_segment(data, segments, count):
    total = data.new_zeros(count, data.size(1)).index_add(0, segments, data)
    times = torch.bincount(segments, minlength=count).clamp(min=1)
    return total / times[:, None]


class Particles(nn.Module):
    def __init__(self, nf=64, edge_attr_nf=0, act_fn=nn.SiLU()):
        super().__init__()
        self.speed = nn.Sequential(nn.Linear(1, nf), act_fn, nn.Linear(nf, 1))
        self.pull = nn.Sequential(nn.Linear(1 + edge_attr_nf, nf), act_fn, nn.Linear(nf, 1, bias=False), nn.Tanh())

    def forward(self, x, vel_norm, vel, edge_index, edge_attr=None):
        row, col = edge_index
        away = x[row] - x[col]
        distance = torch.sqrt(torch.sum(away**2, dim=1)).unsqueeze(1)
        force = away * self.pull(torch.cat([distance, edge_attr], dim=1))
        x = x + mean_by_segment(force, row, x.size(0)) + vel * self.speed(vel_norm)
        return x, edge_attr
