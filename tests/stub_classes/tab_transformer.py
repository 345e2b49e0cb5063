import torch
import torch.nn.functional as F
from torch import nn


def exists(val):
    return val is not None


class TabTransformer(nn.Module):
    def __init__(self, *, categories, num_continuous, dim, depth, heads, dim_out=1, mlp_hidden_mults=(4, 2),
                 num_special_tokens=2, continuous_mean_std=None):
        super().__init__()
        assert all(map(lambda n: n > 0, categories)), 'number of each category must be positive'

        # categories related calculations
        self.num_categories = len(categories)
        self.num_unique_categories = sum(categories)

        # create category embeddings table
        self.num_special_tokens = num_special_tokens
        total_tokens = self.num_unique_categories + num_special_tokens

        # for automatically offsetting unique category ids to the correct position in the categories embedding table
        categories_offset = F.pad(torch.tensor(list(categories)), (1, 0), value=num_special_tokens)
        categories_offset = categories_offset.cumsum(dim=-1)[:-1]
        self.register_buffer('categories_offset', categories_offset)

        # continuous
        if exists(continuous_mean_std):
            assert continuous_mean_std.shape == (num_continuous, 2)
        self.register_buffer('continuous_mean_std', continuous_mean_std)

        self.norm = nn.LayerNorm(num_continuous)
        self.num_continuous = num_continuous
        self.embeds = nn.Embedding(total_tokens, dim)
        layer = nn.TransformerEncoderLayer(dim, heads, 4 * dim, batch_first=True)
        self.transformer = nn.TransformerEncoder(layer, depth)

        # mlp to logits
        input_size = (dim * self.num_categories) + num_continuous
        l = input_size // 8
        hidden_dimensions = list(map(lambda t: l * t, mlp_hidden_mults))
        all_dimensions = [input_size, *hidden_dimensions, dim_out]
        self.mlp = nn.Sequential(*[m for a, b in zip(all_dimensions[:-1], all_dimensions[1:]) for m in (nn.Linear(a, b), nn.ReLU())][:-1])

    def forward(self, x_categ, x_cont):
        assert x_categ.shape[-1] == self.num_categories, f'you must pass in {self.num_categories} values for your categories input'
        x_categ = x_categ + self.categories_offset
        x = self.embeds(x_categ)
        x = self.transformer(x)
        flat_categ = x.flatten(1)
        assert x_cont.shape[1] == self.num_continuous, f'you must pass in {self.num_continuous} values for your continuous input'
        if exists(self.continuous_mean_std):
            mean, std = self.continuous_mean_std.unbind(dim=-1)
            x_cont = (x_cont - mean) / std
        normed_cont = self.norm(x_cont)
        x = torch.cat((flat_categ, normed_cont), dim=-1)
        return self.mlp(x)
