import numpy as np
import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class SequenceTagger(nn.Module):
    """Word + char CNN + BiLSTM tagger with pretrained GloVe embeddings."""

    def __init__(self, embedding_matrix: np.ndarray, char_vocab: dict, tag2idx: dict, args):
        super().__init__()
        vocab_size, emb_dim = embedding_matrix.shape
        self.word_emb = nn.Embedding.from_pretrained(
            torch.from_numpy(embedding_matrix).float(), freeze=args.freeze_emb, padding_idx=0
        )
        self.char_emb = nn.Embedding(len(char_vocab), args.char_dim, padding_idx=char_vocab["<pad>"])
        self.char_cnn = nn.Conv1d(args.char_dim, args.char_filters, kernel_size=3, padding=1)
        self.lstm = nn.LSTM(
            emb_dim + args.char_filters,
            args.hidden_size // 2,
            num_layers=args.num_layers,
            bidirectional=True,
            batch_first=True,
            dropout=args.dropout if args.num_layers > 1 else 0,
        )
        self.dropout = nn.Dropout(args.dropout)
        self.classifier = nn.Linear(args.hidden_size, len(tag2idx))
        self.pad_tag = tag2idx["<pad>"]

    def forward(self, words, chars, lengths, tags=None):
        # words: [B, T], chars: [B, T, W], lengths: [B]
        B, T, W = chars.size()
        c = self.char_emb(chars.view(B * T, W)).transpose(1, 2)
        c = torch.relu(self.char_cnn(c)).max(dim=-1)[0].view(B, T, -1)
        x = self.dropout(torch.cat([self.word_emb(words), c], dim=-1))
        packed = pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)
        out, _ = self.lstm(packed)
        out, _ = pad_packed_sequence(out, batch_first=True, total_length=T)
        logits = self.classifier(self.dropout(out))
        if tags is not None:
            loss_fct = nn.CrossEntropyLoss(ignore_index=self.pad_tag)
            return loss_fct(logits.view(-1, logits.size(-1)), tags.view(-1)), logits
        return logits
