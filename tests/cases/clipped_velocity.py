import torch
from torch import nn


class Thruster(nn.Module):
    def __init__(self):
        super().__init__()
        self.plan = nn.Sequential(nn.Linear(4, 12), nn.Tanh(), nn.Linear(12, 2))
        self.drag = nn.Linear(2, 2, bias=False)

    def forward(self, state):
        command = 50.0 + self.plan(state)
        throttle = command.clamp(0.0, 1.0)
        return throttle - self.drag(throttle)


def gradflow_probe():
    torch.manual_seed(0)
    craft = Thruster()
    state = torch.randn(20, 4)
    return craft, ((craft(state) - state[:, :2]) ** 2).mean()
