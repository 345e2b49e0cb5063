import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn


def gradflow_probe():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(5, 9), nn.Tanh(), nn.Linear(9, 2))
    ema = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.99))
    x = torch.randn(14, 5)
    with torch.no_grad():
        target = ema(x).softmax(-1)
    loss = nn.functional.cross_entropy(model(x), target) + 0.1 * (model(x) ** 2).mean()
    ema.update_parameters(model)
    return model, loss
