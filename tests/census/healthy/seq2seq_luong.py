import torch
import torch.nn as nn
import torch.nn.functional as F


class Encoder(nn.Module):
    def __init__(self, v, d):
        super().__init__()
        self.emb = nn.Embedding(v, d)
        self.lstm = nn.LSTM(d, d, batch_first=True)

    def forward(self, x):
        return self.lstm(self.emb(x))


class Decoder(nn.Module):
    def __init__(self, v, d):
        super().__init__()
        self.emb = nn.Embedding(v, d)
        self.cell = nn.LSTMCell(d, d)
        self.score = nn.Linear(d, d, bias=False)
        self.mix = nn.Linear(2 * d, d)
        self.out = nn.Linear(d, v)

    def forward(self, y, memory, state):
        h, c = state[0][0], state[1][0]
        logits = []
        for t in range(y.size(1)):
            h, c = self.cell(self.emb(y[:, t]), (h, c))
            att = torch.softmax(torch.bmm(memory, self.score(h).unsqueeze(2)), 1)
            ctx = (att * memory).sum(1)
            logits.append(self.out(torch.tanh(self.mix(torch.cat([h, ctx], 1)))))
        return torch.stack(logits, 1)


class Seq2Seq(nn.Module):
    def __init__(self, v=40, d=32):
        super().__init__()
        self.encoder, self.decoder = Encoder(v, d), Decoder(v, d)

    def forward(self, src, tgt):
        memory, state = self.encoder(src)
        return self.decoder(tgt, memory, state)


def gradflow_probe():
    torch.manual_seed(0)
    model = Seq2Seq()
    src, tgt = torch.randint(0, 40, (5, 9)), torch.randint(0, 40, (5, 8))
    return model, F.cross_entropy(model(src, tgt[:, :-1]).flatten(0, 1), tgt[:, 1:].flatten())
