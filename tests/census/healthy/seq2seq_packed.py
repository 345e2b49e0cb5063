import random
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Encoder(nn.Module):
    def __init__(self, vocab, e, h):
        super().__init__()
        self.emb = nn.Embedding(vocab, e, padding_idx=0)
        self.gru = nn.GRU(e, h, bidirectional=True, batch_first=True)

    def forward(self, src, lens):
        packed = pack_padded_sequence(self.emb(src), lens, batch_first=True, enforce_sorted=False)
        out, h = self.gru(packed)
        return pad_packed_sequence(out, batch_first=True)[0], torch.cat([h[0], h[1]], -1)


class Decoder(nn.Module):
    def __init__(self, vocab, e, h):
        super().__init__()
        self.emb = nn.Embedding(vocab, e)
        self.cell = nn.GRUCell(e + 2 * h, 2 * h)
        self.proj = nn.Linear(4 * h, vocab)

    def forward(self, tok, h, mem, mask):
        a = torch.bmm(mem, h.unsqueeze(2)).squeeze(2).masked_fill(~mask, float("-inf")).softmax(1)
        ctx = torch.bmm(a.unsqueeze(1), mem).squeeze(1)
        h = self.cell(torch.cat([self.emb(tok), ctx], 1), h)
        return self.proj(torch.cat([h, ctx], 1)), h


class Seq2Seq(nn.Module):
    def __init__(self, v=20, e=6, h=5, teacher=0.5):
        super().__init__()
        self.enc, self.dec, self.teacher = Encoder(v, e, h), Decoder(v, e, h), teacher

    def forward(self, src, lens, tgt):
        mem, h = self.enc(src, lens)
        mask = src[:, : mem.size(1)] != 0
        tok, outs = tgt[:, 0], []
        for t in range(1, tgt.size(1)):
            logits, h = self.dec(tok, h, mem, mask)
            outs.append(logits)
            tok = tgt[:, t] if random.random() < self.teacher else logits.argmax(-1)
        return torch.stack(outs, 1)


def gradflow_probe():
    torch.manual_seed(0); random.seed(0)
    model = Seq2Seq()
    src, lens = torch.randint(1, 20, (4, 7)), torch.tensor([7, 5, 3, 6])
    src[torch.arange(7)[None] >= lens[:, None]] = 0
    tgt = torch.randint(1, 20, (4, 6))
    out = model(src, lens, tgt)
    return model, nn.functional.cross_entropy(out.transpose(1, 2), tgt[:, 1:])
