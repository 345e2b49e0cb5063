import torch
import torch.nn as nn


def make_mlp(dim_list, activation='relu', batch_norm=True, dropout=0):
    layers = []
    for dim_in, dim_out in zip(dim_list[:-1], dim_list[1:]):
        layers.append(nn.Linear(dim_in, dim_out))
        if batch_norm:
            layers.append(nn.BatchNorm1d(dim_out))
        if activation == 'relu':
            layers.append(nn.ReLU())
        elif activation == 'leakyrelu':
            layers.append(nn.LeakyReLU())
        if dropout > 0:
            layers.append(nn.Dropout(p=dropout))
    return nn.Sequential(*layers)


def get_noise(shape, noise_type):
    if noise_type == 'gaussian':
        return torch.randn(*shape)
    elif noise_type == 'uniform':
        return torch.rand(*shape).sub_(0.5).mul_(2.0)
    raise ValueError('Unrecognized noise type "%s"' % noise_type)


class Encoder(nn.Module):
    """Encoder is part of both TrajectoryGenerator and TrajectoryDiscriminator"""

    def __init__(self, embedding_dim=64, h_dim=64, mlp_dim=1024, num_layers=1, dropout=0.0):
        super(Encoder, self).__init__()
        self.h_dim = h_dim
        self.embedding_dim = embedding_dim
        self.num_layers = num_layers
        self.encoder = nn.LSTM(embedding_dim, h_dim, num_layers, dropout=dropout)
        self.spatial_embedding = nn.Linear(2, embedding_dim)

    def init_hidden(self, batch):
        return (torch.zeros(self.num_layers, batch, self.h_dim), torch.zeros(self.num_layers, batch, self.h_dim))

    def forward(self, obs_traj):
        """
        Inputs:
        - obs_traj: Tensor of shape (obs_len, batch, 2)
        Output:
        - final_h: Tensor of shape (self.num_layers, batch, self.h_dim)
        """
        batch = obs_traj.size(1)
        obs_traj_embedding = self.spatial_embedding(obs_traj.reshape(-1, 2))
        obs_traj_embedding = obs_traj_embedding.view(-1, batch, self.embedding_dim)
        output, state = self.encoder(obs_traj_embedding, self.init_hidden(batch))
        return state[0]


class PoolHiddenNet(nn.Module):
    def __init__(self, embedding_dim=64, h_dim=64, mlp_dim=1024, bottleneck_dim=1024, activation='relu', batch_norm=True):
        super(PoolHiddenNet, self).__init__()
        self.h_dim = h_dim
        self.bottleneck_dim = bottleneck_dim
        self.embedding_dim = embedding_dim
        self.spatial_embedding = nn.Linear(2, embedding_dim)
        self.mlp_pre_pool = make_mlp([embedding_dim + h_dim, 512, bottleneck_dim], activation, batch_norm)

    def repeat(self, tensor, num_reps):
        col_len = tensor.size(1)
        tensor = tensor.unsqueeze(dim=1).repeat(1, num_reps, 1)
        return tensor.view(-1, col_len)

    def forward(self, h_states, seq_start_end, end_pos):
        pool_h = []
        for _, (start, end) in enumerate(seq_start_end):
            start = start.item()
            end = end.item()
            num_ped = end - start
            curr_hidden = h_states.view(-1, self.h_dim)[start:end]
            curr_end_pos = end_pos[start:end]
            curr_hidden_1 = curr_hidden.repeat(num_ped, 1)
            curr_end_pos_1 = curr_end_pos.repeat(num_ped, 1)
            curr_end_pos_2 = self.repeat(curr_end_pos, num_ped)
            curr_rel_pos = curr_end_pos_1 - curr_end_pos_2
            curr_rel_embedding = self.spatial_embedding(curr_rel_pos)
            mlp_h_input = torch.cat([curr_rel_embedding, curr_hidden_1], dim=1)
            curr_pool_h = self.mlp_pre_pool(mlp_h_input)
            curr_pool_h = curr_pool_h.view(num_ped, num_ped, -1).max(1)[0]
            pool_h.append(curr_pool_h)
        return torch.cat(pool_h, dim=0)


class TrajectoryGenerator(nn.Module):
    def __init__(self, obs_len, pred_len, embedding_dim=64, h_dim=64, mlp_dim=128, noise_dim=(8,),
                 noise_type='gaussian', bottleneck_dim=64, batch_norm=True):
        super().__init__()
        self.obs_len = obs_len
        self.pred_len = pred_len
        self.noise_dim = noise_dim
        self.noise_type = noise_type
        self.embedding_dim = embedding_dim
        self.h_dim = h_dim
        self.encoder = Encoder(embedding_dim, h_dim, mlp_dim)
        self.pool_net = PoolHiddenNet(embedding_dim, h_dim, mlp_dim, bottleneck_dim, batch_norm=batch_norm)
        self.mlp_decoder_context = make_mlp([h_dim + bottleneck_dim, mlp_dim, h_dim - noise_dim[0]], batch_norm=batch_norm)
        self.decoder = nn.LSTM(embedding_dim, h_dim, 1)
        self.spatial_embedding = nn.Linear(2, embedding_dim)
        self.hidden2pos = nn.Linear(h_dim, 2)

    def forward(self, obs_traj, obs_traj_rel, seq_start_end):
        """
        Inputs:
        - obs_traj: Tensor of shape (obs_len, batch, 2)
        - obs_traj_rel: Tensor of shape (obs_len, batch, 2)
        - seq_start_end: A list of tuples which delimit sequences within batch.
        """
        batch = obs_traj_rel.size(1)
        final_h = self.encoder(obs_traj_rel)
        pool_h = self.pool_net(final_h, seq_start_end, obs_traj[-1])
        context = self.mlp_decoder_context(torch.cat([final_h.view(-1, self.h_dim), pool_h], dim=1))
        noise = get_noise((batch,) + tuple(self.noise_dim), self.noise_type)
        h = torch.cat([context, noise], dim=1).unsqueeze(0)
        state = (h, torch.zeros_like(h))
        last_pos_rel = obs_traj_rel[-1]
        pred = []
        inp = self.spatial_embedding(last_pos_rel).unsqueeze(0)
        for _ in range(self.pred_len):
            out, state = self.decoder(inp, state)
            rel = self.hidden2pos(out.view(-1, self.h_dim))
            pred.append(rel)
            inp = self.spatial_embedding(rel).unsqueeze(0)
        return torch.stack(pred, dim=0)
