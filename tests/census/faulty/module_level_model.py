import numpy as np
import torch
from torch import nn

CONFIG = dict(inputs=6, hidden=10)

encoder = nn.Sequential(
    nn.Linear(CONFIG["inputs"], CONFIG["hidden"]),
    nn.Tanh(),
)
classifier = nn.Linear(CONFIG["hidden"], 2)


def centred(h):
    arr = h.detach().cpu().numpy()
    return torch.as_tensor(arr - arr.mean(0))


def loss_fn(x, y):
    return nn.functional.cross_entropy(classifier(centred(encoder(x))), y)


def gradflow_probe(seed: int = 0):
    torch.manual_seed(seed)
    x = torch.randn(12, CONFIG["inputs"])
    return {"encoder": encoder, "classifier": classifier}, loss_fn(x, torch.arange(12) % 2)
