import torch
from torch import nn
import torch.nn.functional as F


class LitModule(nn.Module):
    def __init__(self):
        super().__init__()
        self.logged = {}
        self.automatic_optimization = True

    def log(self, name, value, prog_bar=False):
        self.logged[name] = value.detach().cpu().item() if isinstance(value, torch.Tensor) else value


class Accuracy(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("hit", torch.tensor(0))
        self.register_buffer("n", torch.tensor(0))

    def forward(self, logits, y):
        self.hit += (logits.argmax(-1) == y).sum()
        self.n += y.numel()
        return self.hit.float() / self.n


class Classifier(LitModule):
    def __init__(self, hidden: int = 16, lr: float = 1e-3):
        super().__init__()
        self.hparams = dict(hidden=hidden, lr=lr)
        self.net = nn.Sequential(nn.Flatten(), nn.Linear(36, hidden), nn.BatchNorm1d(hidden), nn.SELU(), nn.AlphaDropout(0.1), nn.Linear(hidden, 10))
        self.acc = Accuracy()

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, batch_idx):
        x, y = batch
        logits = self(x)
        loss = F.cross_entropy(logits, y)
        self.log("train/loss", loss, prog_bar=True)
        self.log("train/acc", self.acc(logits, y))
        self.log("train/grad_free_norm", sum(p.data.norm() ** 2 for p in self.parameters()) ** 0.5)
        return {"loss": loss, "preds": logits.detach().softmax(-1).numpy()}

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.hparams["lr"])


def gradflow_probe():
    torch.manual_seed(0)
    lit = Classifier()
    lit.configure_optimizers()
    out = lit.training_step((torch.rand(8, 1, 6, 6), torch.randint(0, 10, (8,))), 0)
    return lit, out["loss"]
