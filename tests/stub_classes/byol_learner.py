import copy
import torch
from torch import nn
import torch.nn.functional as F


def loss_fn(x, y):
    x = F.normalize(x, dim=-1, p=2)
    y = F.normalize(y, dim=-1, p=2)
    return 2 - 2 * (x * y).sum(dim=-1)


def MLP(dim, projection_size, hidden_size=4096):
    return nn.Sequential(
        nn.Linear(dim, hidden_size),
        nn.BatchNorm1d(hidden_size),
        nn.ReLU(inplace=True),
        nn.Linear(hidden_size, projection_size)
    )


class SmallConvNet(nn.Module):
    def __init__(self, width=32, out_dim=128):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, width, 3, 2, 1), nn.BatchNorm2d(width), nn.ReLU(),
            nn.Conv2d(width, width * 2, 3, 2, 1), nn.BatchNorm2d(width * 2), nn.ReLU(),
            nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width * 2, out_dim))

    def forward(self, x):
        return self.body(x)


class BYOL(nn.Module):
    def __init__(self, net, image_size, net_out_dim=128, projection_size=64, projection_hidden_size=256,
                 augment_fn=None, moving_average_decay=0.99):
        super().__init__()
        self.augment = augment_fn if augment_fn is not None else (lambda t: t + 0.1 * torch.randn_like(t))
        self.online_encoder = nn.Sequential(net, MLP(net_out_dim, projection_size, projection_hidden_size))
        self.target_encoder = copy.deepcopy(self.online_encoder)
        for p in self.target_encoder.parameters():
            p.requires_grad_(False)
        self.beta = moving_average_decay
        self.online_predictor = MLP(projection_size, projection_size, projection_hidden_size)
        # send a mock image tensor to instantiate singleton parameters
        self.forward(torch.randn(2, 3, image_size, image_size))

    def forward(self, x, return_embedding=False):
        assert not (self.training and x.shape[0] == 1), 'you must have greater than 1 sample when training'
        if return_embedding:
            return self.online_encoder(x)
        image_one, image_two = self.augment(x), self.augment(x)
        pred_one = self.online_predictor(self.online_encoder(image_one))
        pred_two = self.online_predictor(self.online_encoder(image_two))
        with torch.no_grad():
            target_one = self.target_encoder(image_one).detach()
            target_two = self.target_encoder(image_two).detach()
        loss = loss_fn(pred_one, target_two) + loss_fn(pred_two, target_one)
        return loss.mean()
