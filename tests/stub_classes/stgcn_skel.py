import numpy as np
import torch
import torch.nn as nn


class Graph:
    def __init__(self, layout='chain', n=9):
        self.num_node = n
        self_link = [(i, i) for i in range(n)]
        neighbor = [(i, i + 1) for i in range(n - 1)]
        A = np.zeros((3, n, n))
        for i, j in self_link:
            A[0, i, j] = 1
        for i, j in neighbor:
            A[1, i, j] = 1
            A[2, j, i] = 1
        self.A = A


class STGCNBlock(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, residual=True):
        super().__init__()
        assert len(kernel_size) == 2
        assert kernel_size[0] % 2 == 1
        padding = ((kernel_size[0] - 1) // 2, 0)
        self.K = kernel_size[1]
        self.gcn = nn.Conv2d(in_channels, out_channels * self.K, 1)
        self.tcn = nn.Sequential(nn.BatchNorm2d(out_channels), nn.ReLU(inplace=True),
                                 nn.Conv2d(out_channels, out_channels, (kernel_size[0], 1), (stride, 1), padding),
                                 nn.BatchNorm2d(out_channels))
        if not residual:
            self.residual = lambda x: 0
        elif in_channels == out_channels and stride == 1:
            self.residual = lambda x: x
        else:
            self.residual = nn.Sequential(nn.Conv2d(in_channels, out_channels, 1, stride=(stride, 1)), nn.BatchNorm2d(out_channels))

    def forward(self, x, A):
        res = self.residual(x)
        x = self.gcn(x)
        n, kc, t, v = x.size()
        x = x.view(n, self.K, kc // self.K, t, v)
        x = torch.einsum('nkctv,kvw->nctw', (x, A)).contiguous()
        return torch.relu(self.tcn(x) + res), A


class STGCN(nn.Module):
    r"""Spatial temporal graph convolutional networks.

    Shape:
        - Input: :math:`(N, in_channels, T_{in}, V_{in}, M_{in})`
        - Output: :math:`(N, num_class)` where N is a batch size, V_in the joints and M_in the persons
    """

    def __init__(self, in_channels, num_class, graph_args=None, edge_importance_weighting=True, **kwargs):
        super().__init__()
        self.graph = Graph(**(graph_args or {}))
        A = torch.tensor(self.graph.A, dtype=torch.float32, requires_grad=False)
        self.register_buffer('A', A)
        spatial_kernel_size = A.size(0)
        kernel_size = (9, spatial_kernel_size)
        self.data_bn = nn.BatchNorm1d(in_channels * A.size(1))
        self.st_gcn_networks = nn.ModuleList((
            STGCNBlock(in_channels, 16, kernel_size, 1, residual=False),
            STGCNBlock(16, 16, kernel_size, 1),
            STGCNBlock(16, 32, kernel_size, 2),
        ))
        if edge_importance_weighting:
            self.edge_importance = nn.ParameterList([nn.Parameter(torch.ones(self.A.size())) for i in self.st_gcn_networks])
        else:
            self.edge_importance = [1] * len(self.st_gcn_networks)
        self.fcn = nn.Conv2d(32, num_class, kernel_size=1)

    def forward(self, x):
        # data normalization
        N, C, T, V, M = x.size()
        x = x.permute(0, 4, 3, 1, 2).contiguous()
        x = x.view(N * M, V * C, T)
        x = self.data_bn(x)
        x = x.view(N, M, V, C, T)
        x = x.permute(0, 1, 3, 4, 2).contiguous()
        x = x.view(N * M, C, T, V)
        # forward
        for gcn, importance in zip(self.st_gcn_networks, self.edge_importance):
            x, _ = gcn(x, self.A * importance)
        # global pooling
        x = nn.functional.avg_pool2d(x, x.size()[2:])
        x = x.view(N, M, -1, 1, 1).mean(dim=1)
        x = self.fcn(x)
        return x.view(x.size(0), -1)
