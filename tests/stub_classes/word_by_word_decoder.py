import torch
import torch.nn as nn
import torch.nn.functional as F


class WordDecoder(nn.Module):
    """One step of a translation: S=1 x B=1."""

    def __init__(self, hidden_size, output_size, n_layers=1, dropout_p=0.1):
        super(WordDecoder, self).__init__()
        self.attn = nn.Linear(hidden_size, hidden_size)
        self.embedding = nn.Embedding(output_size, hidden_size)
        self.gru = nn.GRU(hidden_size, hidden_size, n_layers, dropout=dropout_p if n_layers > 1 else 0)
        self.out = nn.Linear(hidden_size * 2, output_size)

    def forward(self, word, last_hidden, encoder_outputs):
        step = self.embedding(word).view(1, 1, -1)
        state, hidden = self.gru(step, last_hidden)
        weights = self.weigh(state[0], encoder_outputs)
        context = torch.bmm(weights, encoder_outputs.permute(1, 0, 2))
        return self.out(torch.cat((state[0], context[:, 0]), 1)), hidden, weights

    def weigh(self, state, encoder_outputs):
        energies = [self.attn(one).view(-1).dot(state.view(-1)) for one in encoder_outputs]
        return F.softmax(torch.stack(energies), dim=0).view(1, 1, -1)
