"""Date translation: encoder/decoder GRU, state handed over like in the old word_language_model example."""
import torch
import torch.nn as nn


def repackage_hidden(h):
    if isinstance(h, torch.Tensor):
        return h.detach()
    return tuple(repackage_hidden(v) for v in h)


class Seq2Seq(nn.Module):
    def __init__(self, n_src=30, n_tgt=20, hid=16):
        super().__init__()
        self.src_emb = nn.Embedding(n_src, hid)
        self.tgt_emb = nn.Embedding(n_tgt, hid)
        self.encoder = nn.LSTM(hid, hid, batch_first=True)
        self.decoder = nn.LSTM(hid, hid, batch_first=True)
        self.out = nn.Linear(hid, n_tgt)

    def forward(self, src, tgt):
        _, state = self.encoder(self.src_emb(src))
        state = repackage_hidden(state)
        y, _ = self.decoder(self.tgt_emb(tgt), state)
        return self.out(y)


def gradflow_probe():
    torch.manual_seed(0)
    net = Seq2Seq()
    src, tgt = torch.randint(0, 30, (6, 9)), torch.randint(0, 20, (6, 7))
    logits = net(src, tgt[:, :-1])
    loss = nn.functional.cross_entropy(logits.reshape(-1, 20), tgt[:, 1:].reshape(-1))
    return net, loss
