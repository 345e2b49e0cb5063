import torch
from torch import nn


class ConvFeatureExtractor(nn.Module):
    def __init__(self, conv_layers, dropout=0.0):
        super().__init__()
        in_d = 1
        self.conv_layers = nn.ModuleList()
        for i, cl in enumerate(conv_layers):
            assert len(cl) == 3, "invalid conv definition: " + str(cl)
            (dim, k, stride) = cl
            self.conv_layers.append(nn.Sequential(
                nn.Conv1d(in_d, dim, k, stride=stride, bias=False), nn.Dropout(p=dropout),
                nn.GroupNorm(dim, dim), nn.GELU()))
            in_d = dim

    def forward(self, x):
        # BxT -> BxCxT
        x = x.unsqueeze(1)
        for conv in self.conv_layers:
            x = conv(x)
        return x


class SpeechEncoder(nn.Module):
    def __init__(self, conv_layers=[(32, 10, 5), (32, 3, 2), (32, 3, 2)], embed_dim=64, n_heads=4, depth=2, mask_prob=0.3):
        super().__init__()
        self.feature_extractor = ConvFeatureExtractor(conv_layers)
        dim = conv_layers[-1][0]
        self.layer_norm = nn.LayerNorm(dim)
        self.post_extract_proj = nn.Linear(dim, embed_dim) if dim != embed_dim else None
        self.mask_emb = nn.Parameter(torch.FloatTensor(embed_dim).uniform_())
        layer = nn.TransformerEncoderLayer(embed_dim, n_heads, 4 * embed_dim, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, depth, enable_nested_tensor=False)
        self.final_proj = nn.Linear(embed_dim, dim)
        self.mask_prob = mask_prob

    def forward(self, source, padding_mask=None):
        """source: raw audio, (B, T) at 16 kHz"""
        features = self.feature_extractor(source).transpose(1, 2)
        features = self.layer_norm(features)
        targets = features.detach()
        if self.post_extract_proj is not None:
            features = self.post_extract_proj(features)
        mask = torch.rand(features.shape[:2], device=features.device) < self.mask_prob
        x = features.clone()
        x[mask] = self.mask_emb
        x = self.encoder(x)
        x = self.final_proj(x)
        return {"x": x, "targets": targets, "mask": mask}
