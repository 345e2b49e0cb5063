import torch.nn as nn
import torch.nn.functional as F


# define the NN architecture
class ConvAutoencoder(nn.Module):
    def __init__(self):
        super(ConvAutoencoder, self).__init__()
        ## encoder layers ##
        # conv layer (depth from 1 --> 16), 3x3 kernels
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        # conv layer (depth from 16 --> 4), 3x3 kernels
        self.conv2 = nn.Conv2d(16, 4, 3, padding=1)
        # pooling layer to reduce x-y dims by two; kernel and stride of 2
        self.pool = nn.MaxPool2d(2, 2, return_indices=True)
        self.unpool = nn.MaxUnpool2d(2, 2)
        ## decoder layers ##
        self.t_conv1 = nn.ConvTranspose2d(4, 16, 3, padding=1)
        self.t_conv2 = nn.ConvTranspose2d(16, 1, 3, padding=1)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x, i1 = self.pool(x)
        x = F.relu(self.conv2(x))
        x, i2 = self.pool(x)  # compressed representation
        x = self.unpool(x, i2)
        x = F.relu(self.t_conv1(x))
        x = self.unpool(x, i1)
        # output layer (with sigmoid for scaling from 0 to 1)
        x = F.sigmoid(self.t_conv2(x))
        return x
