# sorts short sentences into kind and unkind ones
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class AttentiveLSTM(nn.Module):
    def __init__(self):
        super(AttentiveLSTM, self).__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_dim)
        self.lstm = nn.LSTM(embedding_dim, n_hidden, bidirectional=True)
        self.out = nn.Linear(n_hidden * 2, num_classes)

    def attend(self, states, last):
        asked = last.transpose(0, 1).reshape(len(last[0]), n_hidden * 2, 1)
        weights = F.softmax(torch.bmm(states, asked), 1)
        return (states * weights).sum(1), weights.squeeze(2).detach().numpy()

    def forward(self, X):
        steps = self.embedding(X).permute(1, 0, 2)
        start = torch.zeros(2, len(X), n_hidden)
        states, (last, _) = self.lstm(steps, (start, torch.zeros_like(start)))
        context, weights = self.attend(states.permute(1, 0, 2), last)
        return self.out(context), weights


if __name__ == "__main__":
    embedding_dim = 2
    n_hidden = 5
    num_classes = 2
    sentences = ["you are kind", "that was rude", "how very nice"]
    labels = [1, 0, 1]
    words = sorted(set(" ".join(sentences).split()))
    numbers = {word: i for i, word in enumerate(words)}
    vocab_size = len(words)

    model = AttentiveLSTM()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    inputs = torch.LongTensor(np.array([[numbers[w] for w in one.split()] for one in sentences]))
    for epoch in range(100):
        optimizer.zero_grad()
        scores, _ = model(inputs)
        F.cross_entropy(scores, torch.LongTensor(labels)).backward()
        optimizer.step()
