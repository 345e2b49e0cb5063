import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Seq2SeqAttn(nn.Module):
    def __init__(self, src_vocab, trg_vocab, emb_size, hid_size, pad_idx=0, teacher_forcing=0.5):
        super().__init__()
        self.src_emb = nn.Embedding(src_vocab, emb_size, padding_idx=pad_idx)
        self.trg_emb = nn.Embedding(trg_vocab, emb_size, padding_idx=pad_idx)
        self.encoder = nn.LSTM(emb_size, hid_size, batch_first=True, bidirectional=True)
        self.bridge_h = nn.Linear(2 * hid_size, hid_size)
        self.bridge_c = nn.Linear(2 * hid_size, hid_size)
        self.key = nn.Linear(2 * hid_size, hid_size, bias=False)
        self.query = nn.Linear(hid_size, hid_size, bias=False)
        self.energy = nn.Linear(hid_size, 1, bias=False)
        self.cell = nn.LSTMCell(emb_size + 2 * hid_size, hid_size)
        self.readout = nn.Linear(hid_size, trg_vocab)
        self.pad_idx = pad_idx
        self.teacher_forcing = teacher_forcing

    def encode(self, src, src_lens):
        packed = pack_padded_sequence(self.src_emb(src), src_lens.cpu(), batch_first=True, enforce_sorted=False)
        out, (h, c) = self.encoder(packed)
        out, _ = pad_packed_sequence(out, batch_first=True)
        h = torch.tanh(self.bridge_h(torch.cat([h[0], h[1]], dim=-1)))
        c = torch.tanh(self.bridge_c(torch.cat([c[0], c[1]], dim=-1)))
        return out, h, c

    def forward(self, src, src_lens, trg):
        memory, h, c = self.encode(src, src_lens)
        keys = self.key(memory)
        mask = (src == self.pad_idx)[:, :memory.size(1)]
        inp = trg[:, 0]
        logits = []
        for t in range(1, trg.size(1)):
            score = self.energy(torch.tanh(keys + self.query(h).unsqueeze(1))).squeeze(-1)
            alpha = F.softmax(score.masked_fill(mask, -1e9), dim=-1)
            context = torch.bmm(alpha.unsqueeze(1), memory).squeeze(1)
            h, c = self.cell(torch.cat([self.trg_emb(inp), context], dim=-1), (h, c))
            step = self.readout(h)
            logits.append(step)
            inp = trg[:, t] if random.random() < self.teacher_forcing else step.argmax(-1)
        return torch.stack(logits, dim=1)
