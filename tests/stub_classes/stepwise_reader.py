import torch
import torch.nn as nn


class StepwiseReader(nn.Module):
    """Writes a line of text letter by letter, with the true letters as input."""

    def __init__(self, input_size, hidden_size, num_classes):
        super(StepwiseReader, self).__init__()
        self.look = nn.Linear(input_size, hidden_size, bias=False)
        self.remember = nn.Linear(hidden_size, hidden_size)
        self.score = nn.Linear(hidden_size, 1, bias=False)
        self.cell = nn.LSTMCell(input_size + num_classes, hidden_size)
        self.out = nn.Linear(hidden_size, num_classes)
        self.hidden_size = hidden_size
        self.num_classes = num_classes

    def forward(self, features, text, longest=25):
        batch = features.size(0)
        h = features.new_zeros(batch, self.hidden_size)
        c = features.new_zeros(batch, self.hidden_size)
        steps = []
        for i in range(longest + 1):
            seen = self.score(torch.tanh(self.look(features) + self.remember(h).unsqueeze(1)))
            context = (seen.softmax(1) * features).sum(1)
            letter = nn.functional.one_hot(text[:, i], self.num_classes).float()
            h, c = self.cell(torch.cat([context, letter], 1), (h, c))
            steps.append(self.out(h))
        return torch.stack(steps, 1)
