import numpy as np
import torch


class ShoppingOrder(torch.nn.Module):
    """Scores the goods that came next and some that did not; takes the rows of a sampler."""

    def __init__(self, user_num, item_num, args):
        super(ShoppingOrder, self).__init__()
        self.dev = args.device
        self.item_emb = torch.nn.Embedding(item_num + 1, args.hidden_units, padding_idx=0)
        self.pos_emb = torch.nn.Embedding(args.maxlen + 1, args.hidden_units, padding_idx=0)
        self.attention = torch.nn.MultiheadAttention(args.hidden_units, args.num_heads, args.dropout_rate)
        self.norm = torch.nn.LayerNorm(args.hidden_units, eps=1e-8)

    def log2feats(self, log_seqs):
        seqs = self.item_emb(torch.LongTensor(log_seqs).to(self.dev))
        places = np.tile(np.arange(1, log_seqs.shape[1] + 1), [log_seqs.shape[0], 1])
        places *= log_seqs != 0
        seqs = seqs + self.pos_emb(torch.LongTensor(places).to(self.dev))
        length = seqs.shape[1]
        hidden = ~torch.tril(torch.ones((length, length), dtype=torch.bool, device=self.dev))
        seqs = seqs.transpose(0, 1)
        mixed, _ = self.attention(self.norm(seqs), seqs, seqs, attn_mask=hidden)
        return (seqs + mixed).transpose(0, 1)

    def forward(self, user_ids, log_seqs, pos_seqs, neg_seqs):
        feats = self.log2feats(log_seqs)
        pos = self.item_emb(torch.LongTensor(pos_seqs).to(self.dev))
        neg = self.item_emb(torch.LongTensor(neg_seqs).to(self.dev))
        return (feats * pos).sum(dim=-1), (feats * neg).sum(dim=-1)
