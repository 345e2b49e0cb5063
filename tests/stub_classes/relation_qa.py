import torch
import torch.nn as nn
import torch.nn.functional as F


class ConvInputModel(nn.Module):
    def __init__(self):
        super(ConvInputModel, self).__init__()
        self.conv1 = nn.Conv2d(3, 24, 3, stride=2, padding=1)
        self.batchNorm1 = nn.BatchNorm2d(24)
        self.conv2 = nn.Conv2d(24, 24, 3, stride=2, padding=1)
        self.batchNorm2 = nn.BatchNorm2d(24)
        self.conv3 = nn.Conv2d(24, 24, 3, stride=2, padding=1)
        self.conv4 = nn.Conv2d(24, 24, 3, stride=2, padding=1)

    def forward(self, img):
        """convolution"""
        x = self.batchNorm1(F.relu(self.conv1(img)))
        x = self.batchNorm2(F.relu(self.conv2(x)))
        x = F.relu(self.conv3(x))
        return F.relu(self.conv4(x))


class RelationNet(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.conv = ConvInputModel()
        self.relation_type = args.relation_type
        ##(number of filters per object+coordinate of object)*2+question vector
        self.g_fc1 = nn.Linear((24+2)*2+18, 64)
        self.g_fc2 = nn.Linear(64, 64)
        self.f_fc1 = nn.Linear(64, 64)
        self.fcout = nn.Linear(64, args.answers)
        # prepare coord tensor (5 x 5 grid, 75 x 75 images)
        def cvt_coord(i):
            return [(i/5-2)/2., (i%5-2)/2.]
        coord = torch.zeros(25, 2)
        for i in range(25):
            coord[i] = torch.tensor(cvt_coord(i))
        self.register_buffer('coord', coord)

    def forward(self, img, qst):
        x = self.conv(img) ## x = (64 x 24 x 5 x 5)
        mb, n_channels, d, _ = x.size()
        x_flat = x.view(mb, n_channels, d*d).permute(0, 2, 1)
        x_flat = torch.cat([x_flat, self.coord.unsqueeze(0).expand(mb, -1, -1)], 2)
        qst = torch.unsqueeze(qst, 1).repeat(1, 25, 1)
        qst = torch.unsqueeze(qst, 2)
        x_i = torch.unsqueeze(x_flat, 1).repeat(1, 25, 1, 1)
        x_j = torch.unsqueeze(x_flat, 2)
        x_j = torch.cat([x_j, qst], 3).repeat(1, 1, 25, 1)
        x_full = torch.cat([x_i, x_j], 3)
        x_ = x_full.view(mb * d * d * d * d, 70)
        x_ = F.relu(self.g_fc1(x_))
        x_ = F.relu(self.g_fc2(x_))
        x_g = x_.view(mb, d*d*d*d, 64).sum(1).squeeze()
        return F.log_softmax(self.fcout(F.relu(self.f_fc1(x_g))), dim=1)
