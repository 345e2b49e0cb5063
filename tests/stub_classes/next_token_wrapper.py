import torch
import torch.nn.functional as F
from torch import nn


class NextToken(nn.Module):
    """Teaches a network over tokens to guess the one that follows."""

    def __init__(self, net, ignore_index=-100):
        super().__init__()
        self.net = net
        self.longest = net.max_seq_len
        self.ignore_index = ignore_index

    @torch.no_grad()
    def generate(self, start, length):
        out = start
        for _ in range(length):
            logits = self.net(out[:, -self.longest :])[:, -1]
            out = torch.cat((out, logits.argmax(-1, keepdim=True)), -1)
        return out

    def forward(self, x, **kwargs):
        before, after = x[:, :-1], x[:, 1:]
        logits = self.net(before, **kwargs)
        return F.cross_entropy(logits.transpose(1, 2), after, ignore_index=self.ignore_index)
