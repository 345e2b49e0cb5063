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
        embedded = self.embedding(word).view(1, 1, -1)
        output, hidden = self.gru(embedded, last_hidden)
        weights = self.weigh(output.squeeze(0), encoder_outputs)
        context = weights.bmm(encoder_outputs.transpose(0, 1))
        output = self.out(torch.cat((output.squeeze(0), context.squeeze(1)), 1))
        return output, hidden, weights

    def weigh(self, hidden, encoder_outputs):
        count = len(encoder_outputs)
        energies = torch.zeros(count)
        for i in range(count):
            energies[i] = hidden.view(-1).dot(self.attn(encoder_outputs[i]).view(-1))
        return F.softmax(energies, dim=0).view(1, 1, -1)
