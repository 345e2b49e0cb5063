import torch
import torch.nn as nn
import torch.nn.functional as F


class GatedGCNLayer(nn.Module):
    def __init__(self, input_dim, output_dim, dropout, batch_norm, residual=False):
        super().__init__()
        self.dropout = dropout
        self.batch_norm = batch_norm
        self.residual = residual and input_dim == output_dim
        self.A = nn.Linear(input_dim, output_dim, bias=True)
        self.B = nn.Linear(input_dim, output_dim, bias=True)
        self.C = nn.Linear(input_dim, output_dim, bias=True)
        self.D = nn.Linear(input_dim, output_dim, bias=True)
        self.E = nn.Linear(input_dim, output_dim, bias=True)
        self.bn_node_h = nn.BatchNorm1d(output_dim)
        self.bn_node_e = nn.BatchNorm1d(output_dim)

    def forward(self, h, e, src, dst):
        h_in, e_in = h, e
        e = self.C(e) + self.D(h)[src] + self.E(h)[dst]
        sigma = torch.sigmoid(e)
        num = torch.zeros_like(self.B(h)).index_add_(0, dst, sigma * self.B(h)[src])
        den = torch.zeros_like(num).index_add_(0, dst, sigma)
        h = self.A(h) + num / (den + 1e-6)
        if self.batch_norm:
            h, e = self.bn_node_h(h), self.bn_node_e(e)
        h, e = F.relu(h), F.relu(e)
        if self.residual:
            h, e = h_in + h, e_in + e
        return F.dropout(h, self.dropout, training=self.training), F.dropout(e, self.dropout, training=self.training)


class GatedGCNNet(nn.Module):
    def __init__(self, net_params):
        super().__init__()
        in_dim = net_params['in_dim']
        in_dim_edge = net_params['in_dim_edge']
        hidden_dim = net_params['hidden_dim']
        n_classes = net_params['n_classes']
        dropout = net_params['dropout']
        n_layers = net_params['L']
        self.readout = net_params['readout']
        self.batch_norm = net_params['batch_norm']
        self.residual = net_params['residual']
        self.embedding_h = nn.Linear(in_dim, hidden_dim)
        self.embedding_e = nn.Linear(in_dim_edge, hidden_dim)
        self.layers = nn.ModuleList([GatedGCNLayer(hidden_dim, hidden_dim, dropout, self.batch_norm, self.residual)
                                     for _ in range(n_layers)])
        self.MLP_layer = nn.Sequential(nn.Linear(hidden_dim, hidden_dim // 2), nn.ReLU(),
                                       nn.Linear(hidden_dim // 2, n_classes))

    def forward(self, h, e, edge_index, batch):
        src, dst = edge_index[0], edge_index[1]
        h = self.embedding_h(h)
        e = self.embedding_e(e)
        for conv in self.layers:
            h, e = conv(h, e, src, dst)
        n_graphs = int(batch.max().item()) + 1
        hg = torch.zeros(n_graphs, h.size(1), device=h.device).index_add_(0, batch, h)
        if self.readout == "mean":
            hg = hg / torch.bincount(batch, minlength=n_graphs).clamp(min=1).unsqueeze(1)
        elif self.readout != "sum":
            raise ValueError("unknown readout")
        return self.MLP_layer(hg)

    def loss(self, pred, label):
        return nn.CrossEntropyLoss()(pred, label)
