import torch
from torch import nn
from torch import Tensor


class RevIN(nn.Module):
    def __init__(self, num_features: int, eps=1e-5, affine=True):
        super(RevIN, self).__init__()
        self.num_features = num_features
        self.eps = eps
        self.affine = affine
        if self.affine:
            self.affine_weight = nn.Parameter(torch.ones(self.num_features))
            self.affine_bias = nn.Parameter(torch.zeros(self.num_features))

    def forward(self, x, mode: str):
        if mode == 'norm':
            self.mean = torch.mean(x, dim=1, keepdim=True).detach()
            self.stdev = torch.sqrt(torch.var(x, dim=1, keepdim=True, unbiased=False) + self.eps).detach()
            x = (x - self.mean) / self.stdev
            if self.affine:
                x = x * self.affine_weight + self.affine_bias
        elif mode == 'denorm':
            if self.affine:
                x = (x - self.affine_bias) / (self.affine_weight + self.eps * self.eps)
            x = x * self.stdev + self.mean
        else:
            raise NotImplementedError
        return x


class Model(nn.Module):
    """
    PatchTST: https://arxiv.org/abs/2211.14730
    """

    def __init__(self, configs):
        super().__init__()
        self.task_name = configs.task_name
        self.seq_len = configs.seq_len
        self.pred_len = configs.pred_len
        self.patch_len = configs.patch_len
        self.stride = configs.stride
        padding = self.stride
        self.revin = RevIN(configs.enc_in)
        self.pad = nn.ReplicationPad1d((0, padding))
        self.patch_num = int((self.seq_len - self.patch_len) / self.stride + 2)
        self.value_embedding = nn.Linear(self.patch_len, configs.d_model, bias=False)
        self.position = nn.Parameter(torch.randn(1, self.patch_num, configs.d_model) * 0.02)
        layer = nn.TransformerEncoderLayer(configs.d_model, configs.n_heads, configs.d_ff,
                                           configs.dropout, activation=configs.activation, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, configs.e_layers)
        self.dropout = nn.Dropout(configs.dropout)
        if self.task_name in ('long_term_forecast', 'short_term_forecast'):
            self.head = nn.Linear(configs.d_model * self.patch_num, self.pred_len)
        elif self.task_name == 'classification':
            self.head = nn.Linear(configs.d_model * self.patch_num * configs.enc_in, configs.num_class)

    def encode(self, x: Tensor) -> Tensor:
        B, L, M = x.shape
        x = self.pad(x.permute(0, 2, 1)).unfold(-1, self.patch_len, self.stride)
        x = x.reshape(B * M, x.shape[2], x.shape[3])
        x = self.dropout(self.value_embedding(x) + self.position)
        x = self.encoder(x)
        return x.reshape(B, M, -1)

    def forecast(self, x_enc):
        x = self.revin(x_enc, 'norm')
        dec = self.head(self.encode(x)).permute(0, 2, 1)
        return self.revin(dec, 'denorm')

    def classification(self, x_enc):
        x = self.revin(x_enc, 'norm')
        return self.head(self.dropout(self.encode(x).flatten(1)))

    def forward(self, x_enc, x_mark_enc, x_dec, x_mark_dec, mask=None):
        if self.task_name in ('long_term_forecast', 'short_term_forecast'):
            return self.forecast(x_enc)[:, -self.pred_len:, :]
        if self.task_name == 'classification':
            return self.classification(x_enc)
        return None
