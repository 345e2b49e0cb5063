import torch
import torch.nn as nn
import torch.nn.functional as F


class TextClassifier(nn.Module):
    def __init__(self, vocab=200, dim=32, hidden=32, classes=4, pad=0):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=pad)
        self.gru = nn.GRU(dim, hidden, bidirectional=True, batch_first=True)
        self.fc = nn.Linear(2 * hidden, classes)

    def forward(self, ids, lengths):
        packed = nn.utils.rnn.pack_padded_sequence(self.emb(ids), lengths, batch_first=True, enforce_sorted=False)
        out, _ = nn.utils.rnn.pad_packed_sequence(self.gru(packed)[0], batch_first=True, padding_value=float("-inf"))
        return self.fc(out.max(dim=1).values)


def gradflow_probe():
    torch.manual_seed(0)
    model = TextClassifier()
    lengths = torch.tensor([12, 5, 9, 7])
    ids = torch.randint(1, 200, (4, 12))
    ids[torch.arange(12)[None] >= lengths[:, None]] = 0
    return model, F.cross_entropy(model(ids, lengths), torch.tensor([0, 1, 2, 3]))
