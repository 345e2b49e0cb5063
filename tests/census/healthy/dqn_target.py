import torch
from torch import nn


class QNetwork(nn.Module):
    def __init__(self, obs, n_act):
        super().__init__()
        self.feature = nn.Sequential(nn.Linear(obs, 24), nn.ReLU())
        self.adv = nn.Linear(24, n_act)
        self.val = nn.Linear(24, 1)

    def forward(self, s):
        h = self.feature(s)
        a = self.adv(h)
        return self.val(h) + a - a.mean(dim=1, keepdim=True)


class DoubleDQN(nn.Module):
    def __init__(self, obs=4, n_act=3, gamma=0.97):
        super().__init__()
        self.gamma = gamma
        self.q = QNetwork(obs, n_act)
        self.q_target = QNetwork(obs, n_act)
        self.q_target.load_state_dict(self.q.state_dict())
        self.q_target.requires_grad_(False)

    def td_loss(self, batch):
        s, a, r, s2, done = batch
        q = self.q(s).gather(1, a.unsqueeze(1)).squeeze(1)
        with torch.no_grad():
            best = self.q(s2).argmax(dim=1, keepdim=True)
            target = r + self.gamma * (1 - done) * self.q_target(s2).gather(1, best).squeeze(1)
        priorities = (q - target).abs().detach().cpu().numpy()
        self.priorities = priorities
        return nn.functional.smooth_l1_loss(q, target)


def gradflow_probe():
    torch.manual_seed(0)
    agent = DoubleDQN()
    n = 32
    batch = (torch.randn(n, 4), torch.randint(0, 3, (n,)), torch.randn(n), torch.randn(n, 4), (torch.rand(n) < 0.1).float())
    return agent, agent.td_loss(batch)
