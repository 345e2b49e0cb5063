from torch import nn


class MLP(nn.Sequential):
    def __init__(self, sizes=(30, 64, 64, 1), act=nn.Tanh):
        layers = []
        for i, (n_in, n_out) in enumerate(zip(sizes, sizes[1:])):
            layers.append(nn.Linear(n_in, n_out))
            if i < len(sizes) - 2:
                layers.append(act())
        super().__init__(*layers)
