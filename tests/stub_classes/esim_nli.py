import torch
import torch.nn as nn
import torch.nn.functional as F


def get_mask(sequences_batch, sequences_lengths):
    batch_size = sequences_batch.size()[0]
    max_length = torch.max(sequences_lengths)
    mask = torch.ones(batch_size, max_length, dtype=torch.float)
    mask[sequences_batch[:, :max_length] == 0] = 0.0
    return mask


class ESIM(nn.Module):
    def __init__(self, vocab_size, embedding_dim, hidden_size, embeddings=None, padding_idx=0, dropout=0.5, num_classes=3, device="cpu"):
        """
        Args:
            vocab_size: The size of the vocabulary of embeddings in the model.
            embedding_dim: The dimension of the word embeddings.
            hidden_size: The size of all the hidden layers in the network.
            embeddings: A tensor of size (vocab_size, embedding_dim) containing
                pretrained word embeddings. If None, word embeddings are
                initialised randomly. Defaults to None.
        """
        super(ESIM, self).__init__()
        self._word_embedding = nn.Embedding(vocab_size, embedding_dim, padding_idx=padding_idx, _weight=embeddings)
        self._encoding = nn.LSTM(embedding_dim, hidden_size, batch_first=True, bidirectional=True)
        self._projection = nn.Sequential(nn.Linear(4*2*hidden_size, hidden_size), nn.ReLU())
        self._composition = nn.LSTM(hidden_size, hidden_size, batch_first=True, bidirectional=True)
        self._classification = nn.Sequential(nn.Dropout(p=dropout), nn.Linear(2*4*hidden_size, hidden_size), nn.Tanh(),
                                             nn.Linear(hidden_size, num_classes))
        self.device = device

    def forward(self, premises, premises_lengths, hypotheses, hypotheses_lengths):
        """
        Args:
            premises: A batch of varaible length sequences of word indices
                representing premises. The batch is assumed to be of size
                (batch, premises_length).
            premises_lengths: A 1D tensor containing the lengths of the
                premises in 'premises'.
            hypothesis: A batch of varaible length sequences of word indices
                representing hypotheses. The batch is assumed to be of size
                (batch, hypotheses_length).
            hypotheses_lengths: A 1D tensor containing the lengths of the
                hypotheses in 'hypotheses'.
        """
        premises_mask = get_mask(premises, premises_lengths).to(self.device)
        hypotheses_mask = get_mask(hypotheses, hypotheses_lengths).to(self.device)

        p, _ = self._encoding(self._word_embedding(premises))
        h, _ = self._encoding(self._word_embedding(hypotheses))

        sim = p.bmm(h.transpose(2, 1).contiguous())
        pa = torch.softmax(sim.masked_fill(hypotheses_mask[:, None, :] == 0, -1e7), -1) @ h
        ha = torch.softmax(sim.transpose(1, 2).masked_fill(premises_mask[:, None, :] == 0, -1e7), -1) @ p

        vp = self._projection(torch.cat([p, pa, p - pa, p * pa], dim=-1))
        vh = self._projection(torch.cat([h, ha, h - ha, h * ha], dim=-1))
        vp, _ = self._composition(vp)
        vh, _ = self._composition(vh)

        v_a_avg = torch.sum(vp * premises_mask.unsqueeze(1).transpose(2, 1), dim=1) / torch.sum(premises_mask, dim=1, keepdim=True)
        v_b_avg = torch.sum(vh * hypotheses_mask.unsqueeze(1).transpose(2, 1), dim=1) / torch.sum(hypotheses_mask, dim=1, keepdim=True)
        v_a_max, _ = vp.max(dim=1)
        v_b_max, _ = vh.max(dim=1)
        v = torch.cat([v_a_avg, v_a_max, v_b_avg, v_b_max], dim=1)
        logits = self._classification(v)
        probabilities = nn.functional.softmax(logits, dim=-1)
        return logits, probabilities
