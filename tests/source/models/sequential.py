"""A perceptron that is a Sequential itself."""

from torch.nn import Dropout, Linear, ReLU, Sequential


class Perceptron(Sequential):
    def __init__(self, in_features: int, hidden: int = 64, out_features: int = 4, p: float = 0.1):
        super().__init__(
            Linear(in_features, hidden),
            ReLU(),
            Dropout(p),
            Linear(hidden, out_features),
        )
