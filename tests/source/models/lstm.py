"""Sorts short weather reports by how they sound."""

from torch import nn


class ReportClassifier(nn.Module):
    def __init__(self, vocab_size, embedding_dim, hidden_size, num_classes):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_dim, padding_idx=0)
        self.lstm = nn.LSTM(embedding_dim, hidden_size, batch_first=True)
        self.dropout = nn.Dropout(0.2)
        self.classify = nn.Linear(hidden_size, num_classes)

    def forward(self, tokens):
        _, (last, _) = self.lstm(self.embedding(tokens))
        return self.classify(self.dropout(last[-1]))
