import torch
from torch import nn


class Translator(nn.Module):
    def __init__(self, d=8, vocab=20):
        super().__init__()
        self.src = nn.Embedding(vocab, d)
        self.tgt = nn.Embedding(vocab, d)
        self.core = nn.Transformer(d, 2, 1, 1, 16, dropout=0.0, batch_first=True)
        self.out = nn.Linear(d, vocab)

    def forward(self, src, tgt):
        memory = self.core.encoder(self.src(src))
        # y = self.core.decoder(self.tgt(tgt), memory)
        return self.out(memory)


def gradflow_probe():
    torch.manual_seed(0)
    net = Translator()
    s, t = torch.randint(0, 20, (3, 6)), torch.randint(0, 20, (3, 6))
    return net, nn.functional.cross_entropy(net(s, t).flatten(0, 1), t.flatten())
