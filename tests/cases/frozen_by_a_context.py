from contextlib import contextmanager

import torch
from torch import nn


@contextmanager
def still(module):
    module.requires_grad_(False)
    yield
    module.requires_grad_(True)


class Game(nn.Module):
    def __init__(self):
        super().__init__()
        self.maker = nn.Linear(3, 5)
        self.critic = nn.Linear(5, 1)

    def loss(self, noise):
        with still(self.critic):
            return -self.critic(self.maker(noise)).mean()


def gradflow_probe():
    torch.manual_seed(0)
    game = Game()
    return game, game.loss(torch.randn(8, 3))
