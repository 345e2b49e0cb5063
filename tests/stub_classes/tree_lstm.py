import torch
import torch.nn as nn
import torch.nn.functional as F


class ChildSumTreeLSTM(nn.Module):
    """Nodes are processed level by level.

    x (N, in_dim): node features
    parent (N,) long: index of each node's parent, the root points to itself
    depth (N,) long: depth of each node
    """

    def __init__(self, in_dim, mem_dim, n_classes=5):
        super().__init__()
        self.in_dim, self.mem_dim = in_dim, mem_dim
        self.ioux = nn.Linear(in_dim, 3 * mem_dim)
        self.iouh = nn.Linear(mem_dim, 3 * mem_dim, bias=False)
        self.fx = nn.Linear(in_dim, mem_dim)
        self.fh = nn.Linear(mem_dim, mem_dim, bias=False)
        self.cls = nn.Linear(mem_dim, n_classes)

    def forward(self, x, parent, depth):
        n = x.size(0)
        h_sum = x.new_zeros(n, self.mem_dim)
        fc_sum = x.new_zeros(n, self.mem_dim)
        hs = x.new_zeros(n, self.mem_dim)
        for d in range(int(depth.max()), -1, -1):
            idx = (depth == d).nonzero(as_tuple=True)[0]
            iou = self.ioux(x[idx]) + self.iouh(h_sum[idx])
            i, o, u = iou.chunk(3, dim=-1)
            c = torch.sigmoid(i) * torch.tanh(u) + fc_sum[idx]
            h = torch.sigmoid(o) * torch.tanh(c)
            hs = hs.index_add(0, idx, h)
            p = parent[idx]
            f = torch.sigmoid(self.fh(h) + self.fx(x)[p])
            h_sum = h_sum.index_add(0, p, h)
            fc_sum = fc_sum.index_add(0, p, f * c)
        return F.log_softmax(self.cls(hs), dim=-1)
