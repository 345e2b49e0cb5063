import torch
import torch.nn as nn


class ActionValue(nn.Module):
    def __init__(self, obs=5, n_actions=4):
        super().__init__()
        self.n_actions = n_actions
        self.obs_in = nn.Linear(obs, 16)
        self.act_in = nn.Linear(n_actions, 16, bias=False)
        self.q = nn.Linear(16, 1)

    def encode_action(self, a):
        onehot = torch.zeros(a.size(0), self.n_actions)
        onehot.scatter(1, a.unsqueeze(1), 1.0)
        return onehot

    def forward(self, obs, a):
        h = torch.tanh(self.obs_in(obs) + self.act_in(self.encode_action(a)))
        return self.q(h).squeeze(1)


def gradflow_probe():
    torch.manual_seed(0)
    q = ActionValue()
    obs, a, target = torch.randn(10, 5), torch.randint(0, 4, (10,)), torch.randn(10)
    return q, nn.functional.smooth_l1_loss(q(obs, a), target)
