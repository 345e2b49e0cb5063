import torch
from torch import nn


class NewsClassifier(nn.Module):
    def __init__(self, vectors, classes=4):
        super().__init__()
        self.emb = nn.Embedding.from_pretrained(vectors)
        self.conv = nn.Conv1d(vectors.size(1), 10, 3, padding=1)
        self.attn = nn.Linear(10, 1)
        self.fc = nn.Linear(10, classes)

    def forward(self, ids):
        h = torch.relu(self.conv(self.emb(ids).transpose(1, 2))).transpose(1, 2)
        best = self.attn(h).squeeze(-1).argmax(dim=1)
        return self.fc(h[torch.arange(len(h)), best])


def gradflow_probe():
    torch.manual_seed(0)
    net = NewsClassifier(torch.randn(40, 8))
    return net, nn.functional.cross_entropy(net(torch.randint(0, 40, (6, 9))), torch.arange(6) % 4)
