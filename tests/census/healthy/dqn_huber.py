import torch
import torch.nn as nn
import torch.nn.functional as F
import copy

class QNet(nn.Module):
    def __init__(self, obs=4, actions=3):
        super().__init__()
        self.fc1 = nn.Linear(obs, 64)
        self.fc2 = nn.Linear(64, 64)
        self.q = nn.Linear(64, actions)

    def forward(self, s):
        return self.q(F.relu(self.fc2(F.relu(self.fc1(s)))))


class Agent:
    def __init__(self, gamma=0.99):
        self.policy_net = QNet()
        self.target_net = copy.deepcopy(self.policy_net).eval()
        self.gamma = gamma

    def compute_loss(self, s, a, r, s2, done):
        q = self.policy_net(s).gather(1, a.unsqueeze(1)).squeeze(1)
        with torch.no_grad():
            nxt = self.target_net(s2).max(1).values
        return F.smooth_l1_loss(q, r + self.gamma * nxt * (1 - done))


def gradflow_probe():
    torch.manual_seed(0)
    agent = Agent()
    n = 32
    batch = torch.randn(n, 4), torch.randint(0, 3, (n,)), torch.randn(n), torch.randn(n, 4), (torch.rand(n) < 0.1).float()
    return agent.policy_net, agent.compute_loss(*batch)
