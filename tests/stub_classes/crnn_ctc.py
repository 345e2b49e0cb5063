import string
from typing import List, Optional

import torch
from torch import nn


ALPHABET = string.digits + string.ascii_lowercase


class OCRModel(nn.Module):
    """Text line recogniser.

    forward(images, texts) returns the CTC loss, forward(images) the decoded strings.
    images: float (B, 1, 32, W), W a multiple of 4; texts: list of B strings.
    """

    def __init__(self, alphabet: str = ALPHABET, hidden: int = 64):
        super().__init__()
        self.alphabet = alphabet
        self.char_to_idx = {c: i + 1 for i, c in enumerate(alphabet)}
        self.cnn = nn.Sequential(
            nn.Conv2d(1, 32, 3, 1, 1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(32, 64, 3, 1, 1), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(64, 64, (8, 1)), nn.ReLU())
        self.rnn = nn.LSTM(64, hidden, bidirectional=True)
        self.fc = nn.Linear(2 * hidden, len(alphabet) + 1)
        self.ctc = nn.CTCLoss(blank=0, zero_infinity=True)

    def encode(self, texts: List[str]):
        ids = [torch.tensor([self.char_to_idx[c] for c in t], dtype=torch.long) for t in texts]
        return torch.cat(ids), torch.tensor([len(t) for t in texts])

    def forward(self, images: torch.Tensor, texts: Optional[List[str]] = None):
        f = self.cnn(images)
        assert f.size(2) == 1, "the height of images must be 32"
        f = f.squeeze(2).permute(2, 0, 1)
        h, _ = self.rnn(f)
        logp = self.fc(h).log_softmax(-1)
        if texts is None:
            best = logp.argmax(-1).t()
            return ["".join(self.alphabet[i - 1] for i in row.tolist() if i) for row in best]
        targets, target_lengths = self.encode(texts)
        input_lengths = torch.full((logp.size(1),), logp.size(0), dtype=torch.long)
        return self.ctc(logp, targets, input_lengths, target_lengths)
