import torch
from torch import nn


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv1d(2, 8, 5),
            nn.ReLU(),
            nn.Conv1d(8, 8, 5),
            nn.ReLU(),
        )

    def forward(self, x):
        return self.body(x).mean(-1)


@torch.inference_mode()
def extract(net, x):
    return net(x)


class SleepStager(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = Backbone()
        self.head = nn.Linear(8, 5)

    def forward(self, x):
        feats = extract(self.backbone, x)
        return self.head(feats.clone())


def gradflow_probe():
    torch.manual_seed(0)
    model = SleepStager()
    logits = model(torch.randn(10, 2, 60))
    return model, nn.CrossEntropyLoss()(logits, torch.arange(10) % 5)
