import math
import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils import weight_norm


def sequence_mask(length, max_length=None):
    if max_length is None:
        max_length = length.max()
    x = torch.arange(max_length, dtype=length.dtype, device=length.device)
    return x.unsqueeze(0) < length.unsqueeze(1)


class TextEncoder(nn.Module):
    def __init__(self, n_vocab, out_channels, hidden_channels, n_layers):
        super().__init__()
        self.out_channels = out_channels
        self.hidden_channels = hidden_channels
        self.emb = nn.Embedding(n_vocab, hidden_channels)
        nn.init.normal_(self.emb.weight, 0.0, hidden_channels ** -0.5)
        self.convs = nn.ModuleList([weight_norm(nn.Conv1d(hidden_channels, hidden_channels, 5, padding=2)) for _ in range(n_layers)])
        self.proj = nn.Conv1d(hidden_channels, out_channels * 2, 1)

    def forward(self, x, x_lengths):
        x = self.emb(x) * math.sqrt(self.hidden_channels)  # [b, t, h]
        x = torch.transpose(x, 1, -1)  # [b, h, t]
        x_mask = torch.unsqueeze(sequence_mask(x_lengths, x.size(2)), 1).to(x.dtype)
        for c in self.convs:
            x = x + torch.relu(c(x * x_mask))
        stats = self.proj(x) * x_mask
        m, logs = torch.split(stats, self.out_channels, dim=1)
        return x, m, logs, x_mask


class Coupling(nn.Module):
    def __init__(self, channels, hidden):
        super().__init__()
        assert channels % 2 == 0, "channels should be divisible by 2"
        self.half = channels // 2
        self.net = nn.Sequential(nn.Conv1d(self.half, hidden, 5, padding=2), nn.ReLU(), nn.Conv1d(hidden, self.half, 1))

    def forward(self, x, mask, reverse=False):
        x0, x1 = torch.split(x, [self.half] * 2, 1)
        m = self.net(x0 * mask) * mask
        x1 = (x1 - m) * mask if reverse else m + x1 * mask
        return torch.flip(torch.cat([x0, x1], 1), [1])


class FlowTTS(nn.Module):
    def __init__(self, n_vocab, spec_channels, inter_channels, hidden_channels, n_layers, n_speakers=0, gin_channels=0, **kwargs):
        super().__init__()
        self.n_speakers = n_speakers
        self.enc_p = TextEncoder(n_vocab, inter_channels, hidden_channels, n_layers)
        self.enc_q = nn.Conv1d(spec_channels, inter_channels * 2, 1)
        self.flows = nn.ModuleList([Coupling(inter_channels, hidden_channels) for _ in range(4)])
        self.dec = nn.ConvTranspose1d(inter_channels, 1, 16, 8, 4)
        if n_speakers > 1:
            self.emb_g = nn.Embedding(n_speakers, gin_channels)

    def forward(self, x, x_lengths, y, y_lengths, sid=None):
        x, m_p, logs_p, x_mask = self.enc_p(x, x_lengths)
        y_mask = torch.unsqueeze(sequence_mask(y_lengths, y.size(2)), 1).to(y.dtype)
        m_q, logs_q = torch.chunk(self.enc_q(y) * y_mask, 2, dim=1)
        z = (m_q + torch.randn_like(m_q) * torch.exp(logs_q)) * y_mask
        z_p = z
        for flow in self.flows:
            z_p = flow(z_p, y_mask)
        with torch.no_grad():
            # negative cross-entropy
            s_p_sq_r = torch.exp(-2 * logs_p)  # [b, d, t]
            neg_cent1 = torch.sum(-0.5 * math.log(2 * math.pi) - logs_p, [1], keepdim=True)
            neg_cent2 = torch.matmul(-0.5 * (z_p ** 2).transpose(1, 2), s_p_sq_r)
            neg_cent3 = torch.matmul(z_p.transpose(1, 2), (m_p * s_p_sq_r))
            neg_cent = neg_cent1.transpose(1, 2)[:, :1] + neg_cent2 + neg_cent3
            attn = F.one_hot(neg_cent.argmax(-1), x_mask.size(-1)).to(z.dtype)
        m_p = torch.matmul(attn, m_p.transpose(1, 2)).transpose(1, 2)
        logs_p = torch.matmul(attn, logs_p.transpose(1, 2)).transpose(1, 2)
        o = self.dec(z)
        return o, attn, x_mask, y_mask, (z, z_p, m_p, logs_p, m_q, logs_q)
