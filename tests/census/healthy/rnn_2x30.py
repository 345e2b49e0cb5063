import torch
import torch.nn as nn
import torch.nn.functional as F


class CharModel(nn.Module):
    def __init__(self, vocab=30, hidden=48):
        super().__init__()
        self.embed = nn.Embedding(vocab, 24)
        self.rnn = nn.RNN(24, hidden, num_layers=2, batch_first=True, dropout=0.1, nonlinearity='tanh')
        self.to_vocab = nn.Linear(hidden, vocab)

    def forward(self, ids):
        out, _ = self.rnn(self.embed(ids))
        return self.to_vocab(out)


def gradflow_probe():
    torch.manual_seed(0)
    model = CharModel()
    text = torch.randint(0, 30, (6, 30 + 1))
    logits = model(text[:, :-1])
    return model, F.cross_entropy(logits.reshape(-1, 30), text[:, 1:].reshape(-1))
