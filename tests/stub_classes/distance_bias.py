import math

import torch
import torch.nn as nn


class DistanceBias(nn.Module):
    def __init__(self, num_buckets=32, max_distance=128, n_heads=2):
        super().__init__()
        self.num_buckets = num_buckets
        self.max_distance = max_distance
        self.bias = nn.Embedding(num_buckets, n_heads)

    def bucket(self, distance):
        exact = self.num_buckets // 2
        far = exact + (
            torch.log(distance.clamp(min=1).float() / exact) / math.log(self.max_distance / exact) * exact
        ).to(torch.long)
        return torch.where(distance < exact, distance, far.clamp(max=self.num_buckets - 1))

    def forward(self, batch_size, qlen, klen, first=None):
        queries = torch.arange(qlen)[:, None] + (first or 0)
        keys = torch.arange(klen)[None, :]
        values = self.bias(self.bucket((keys - queries).abs())).permute(2, 0, 1)
        return values.unsqueeze(0).repeat(batch_size, 1, 1, 1).view(-1, qlen, klen)
