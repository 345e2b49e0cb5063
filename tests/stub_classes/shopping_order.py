import numpy as np
import torch


class ShoppingOrder(torch.nn.Module):
    """Scores the goods that came next and some that did not; takes the rows of a sampler."""

    def __init__(self, n_users, n_goods, args):
        super().__init__()
        self.dev = args.device
        self.item_emb = torch.nn.Embedding(n_goods + 1, args.width, padding_idx=0)
        self.pos_emb = torch.nn.Embedding(args.longest + 1, args.width, padding_idx=0)
        self.attention = torch.nn.MultiheadAttention(args.width, args.heads, args.drop)
        self.norm = torch.nn.LayerNorm(args.width, eps=1e-8)

    def read(self, log_seqs):
        seqs = self.item_emb(torch.LongTensor(log_seqs).to(self.dev))
        places = np.zeros(log_seqs.shape, dtype=np.int64) + np.arange(log_seqs.shape[1]) + 1
        places *= log_seqs != 0
        seqs = seqs + self.pos_emb(torch.LongTensor(places).to(self.dev))
        length = seqs.shape[1]
        hidden = ~torch.tril(torch.ones((length, length), dtype=torch.bool, device=self.dev))
        seqs = seqs.transpose(0, 1)
        mixed, _ = self.attention(self.norm(seqs), seqs, seqs, attn_mask=hidden)
        return (seqs + mixed).transpose(0, 1)

    def forward(self, user_ids, log_seqs, pos_seqs, neg_seqs):
        feats = self.read(log_seqs)
        pos = self.item_emb(torch.LongTensor(pos_seqs).to(self.dev))
        neg = self.item_emb(torch.LongTensor(neg_seqs).to(self.dev))
        return (feats * pos).sum(dim=-1), (feats * neg).sum(dim=-1)
