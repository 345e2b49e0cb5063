import torch
from torch import nn


class OCR(nn.Module):
    def __init__(self, chars=8):
        super().__init__()
        self.cnn = nn.Conv2d(1, 6, (8, 3), padding=(0, 1))
        self.fc = nn.Linear(6, chars)

    def forward(self, img):
        h = torch.relu(self.cnn(img)).squeeze(2).transpose(1, 2)
        return self.fc(h)


def gradflow_probe():
    torch.manual_seed(0)
    net = OCR()
    logits = net(torch.rand(3, 1, 8, 12))
    words = logits.argmax(-1).tolist()
    text = ["".join(map(str, w)) for w in words]
    target = torch.randint(0, 8, (3, 12))
    errors = sum(a != b for w, t in zip(words, target.tolist()) for a, b in zip(w, t))
    loss = nn.functional.cross_entropy(logits.transpose(1, 2), target)
    return net, loss + 0.0 * errors + 0.0 * len(text[0])
