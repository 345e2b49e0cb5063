import torch
from torch import nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters


class TaskHyperNet(nn.Module):
    """Generates all weights of a small target network from a task embedding."""

    def __init__(self, tasks=3, emb=6):
        super().__init__()
        self.target = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
        n = parameters_to_vector(self.target.parameters()).numel()
        self.task = nn.Embedding(tasks, emb)
        self.gen = nn.Linear(emb, n)

    def forward(self, x, task):
        theta = self.gen(self.task(task))
        vector_to_parameters(theta, self.target.parameters())
        return self.target(x)


def gradflow_probe():
    torch.manual_seed(0)
    net = TaskHyperNet()
    x = torch.randn(20, 2)
    return net, (net(x, torch.tensor(1)) - x[:, :1] * x[:, 1:]).pow(2).mean()
