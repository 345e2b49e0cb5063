import torch
import torch.nn as nn
import torch.nn.functional as F


class SmallCNN(nn.Module):
    def __init__(self, num_classes: int = 10):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 16, kernel_size=3, padding=1),
            nn.BatchNorm2d(16),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(2),
            nn.Conv2d(16, 32, kernel_size=3, padding=1),
            nn.BatchNorm2d(32),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(2),
        )
        self.dropout = nn.Dropout(0.3)
        self.classifier = nn.Linear(32 * 8 * 8, num_classes)

    def forward(self, x):
        x = self.features(x)
        return self.classifier(self.dropout(torch.flatten(x, 1)))


def gradflow_probe():
    torch.manual_seed(0)
    model = SmallCNN()
    images = torch.rand(8, 3, 32, 32)
    labels = torch.randint(0, 10, (8,))
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    return model, criterion(model(images), labels)
