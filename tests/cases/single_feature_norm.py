import torch
from torch import nn


class Thermostat(nn.Module):
    def __init__(self, hidden=8):
        super().__init__()
        self.sense = nn.Linear(3, hidden)
        self.judge = nn.Linear(hidden, 1)
        self.scale = nn.LayerNorm(1, elementwise_affine=False)
        self.decide = nn.Linear(2, 1)

    def forward(self, room):
        felt = self.scale(self.judge(torch.tanh(self.sense(room))))
        return self.decide(torch.cat([felt, room[:, :1]], dim=1))


def gradflow_probe():
    torch.manual_seed(0)
    model = Thermostat()
    room = torch.randn(18, 3)
    return model, nn.functional.mse_loss(model(room), room.sum(1, keepdim=True))
