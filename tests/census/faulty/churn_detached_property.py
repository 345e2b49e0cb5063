import torch
import torch.nn as nn
import torch.nn.functional as F


class ChurnEncoder(nn.Module):
    def __init__(self, n_features, hidden):
        super().__init__()
        self.fc1 = nn.Linear(n_features, hidden)
        self.fc2 = nn.Linear(hidden, hidden)
        self._last = None

    @property
    def embedding(self):
        return self._last.detach()

    def forward(self, x):
        self._last = F.relu(self.fc2(F.relu(self.fc1(x))))
        return self._last


class ChurnModel(nn.Module):
    def __init__(self, n_features=12, hidden=16):
        super().__init__()
        self.encoder = ChurnEncoder(n_features, hidden)
        self.score = nn.Linear(hidden, 1)

    def forward(self, x):
        self.encoder(x)
        return self.score(self.encoder.embedding).squeeze(1)


def gradflow_probe():
    torch.manual_seed(0)
    model = ChurnModel()
    x = torch.randn(20, 12)
    y = torch.randint(0, 2, (20,)).float()
    return model, F.binary_cross_entropy_with_logits(model(x), y)
