"""Tells clouds apart in small grey photographs."""

import torch.nn as nn
import torch.nn.functional as F

IMAGE_SIZE = 48
CHANNELS = 1
KINDS = ["cirrus", "cumulus", "stratus"]


class CloudNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(CHANNELS, 16, kernel_size=5)
        self.conv2 = nn.Conv2d(16, 32, kernel_size=5)
        self.pool = nn.MaxPool2d(2)
        side = ((IMAGE_SIZE - 4) // 2 - 4) // 2
        self.fc = nn.Linear(32 * side * side, len(KINDS))

    def forward(self, image):
        x = self.pool(F.relu(self.conv1(image)))
        x = self.pool(F.relu(self.conv2(x)))
        return self.fc(x.flatten(1))


if __name__ == "__main__":
    print(CloudNet())
