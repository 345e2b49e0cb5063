import torch
from torch import nn
from torch.distributions import Categorical, Normal


class Player(nn.Module):
    def __init__(self):
        super().__init__()
        self.look = nn.Linear(7, 12)
        self.move = nn.Linear(12, 4)
        self.push = nn.Linear(12, 1)
        self.spread = nn.Parameter(torch.zeros(1))
        self.worth = nn.Linear(12, 1)

    def forward(self, board):
        h = torch.relu(self.look(board))
        return Categorical(logits=self.move(h)), Normal(self.push(h), self.spread.exp()), self.worth(h).squeeze(1)


def gradflow_probe():
    torch.manual_seed(0)
    player = Player()
    board = torch.randn(20, 7)
    moves, pushes, worth = player(board)
    move, push = moves.sample(), pushes.sample()
    returns = board.sum(1) + move + push.squeeze(1)
    advantage = returns - worth.detach()
    log_prob = moves.log_prob(move) + pushes.log_prob(push).squeeze(1)
    return player, -(log_prob * advantage).mean() + (worth - returns).square().mean() - 0.01 * moves.entropy().mean()
