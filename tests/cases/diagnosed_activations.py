import torch
from torch import nn


class Recorder:
    """Keeps detached activations and gradients' sizes for a dashboard."""

    def __init__(self, model):
        self.rows = []
        for name, module in model.named_modules():
            if isinstance(module, nn.Linear):
                module.register_forward_hook(self.row(name))

    def row(self, name):
        def hook(module, args, output):
            still = output.detach().cpu().numpy()
            self.rows.append((name, float(still.mean()), torch.tensor(still).std().item()))

        return hook


def gradflow_probe():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 1))
    recorder = Recorder(model)
    x = torch.randn(10, 4)
    with torch.inference_mode():
        model(x)
    loss = nn.functional.mse_loss(model(x), x[:, :1])
    assert len(recorder.rows) == 6
    return model, loss
