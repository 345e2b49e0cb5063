import torch
from torch import nn


class PriceLadder(nn.Module):
    def __init__(self):
        super().__init__()
        self.demand = nn.ModuleList([nn.Linear(6, 10), nn.Linear(10, 1)])
        self.elasticity = nn.Parameter(torch.tensor(0.7))

    def forward(self, market):
        first, second = self.demand
        price = second(nn.functional.mish(first(market)))
        price = torch.floor(price * 4) / 4
        return price * self.elasticity + market.mean(1, keepdim=True)


def gradflow_probe():
    torch.manual_seed(4)
    ladder = PriceLadder()
    market = torch.randn(14, 6)
    return ladder, torch.nn.functional.l1_loss(ladder(market), market[:, :1])
