import torch
from torch import nn


class TwoTower(nn.Module):
    def __init__(self, users=500, items=800, dim=8):
        super().__init__()
        self.users = nn.Embedding(users, dim, sparse=True)
        self.items = nn.EmbeddingBag(items, dim, sparse=True, mode="sum")
        self.bias = nn.Embedding(items, 1, sparse=True)

    def forward(self, user, basket, candidate):
        taste = self.users(user) + self.items(basket)
        return (taste * self.items(candidate[:, None])).sum(1) + self.bias(candidate).squeeze(1)


def gradflow_probe():
    torch.manual_seed(0)
    model = TwoTower()
    user, basket, candidate = torch.randint(0, 500, (9,)), torch.randint(0, 800, (9, 4)), torch.randint(0, 800, (9,))
    clicked = torch.rand(9).round()
    return model, nn.functional.binary_cross_entropy_with_logits(model(user, basket, candidate), clicked)
