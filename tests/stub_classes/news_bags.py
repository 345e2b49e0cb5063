from torch import nn


class NewsBags(nn.Module):
    """Sorts pieces of news by the mean of their words; the pieces come as one row, with where each begins."""

    def __init__(self, n_words, width, n_topics, drop=0.2):
        super().__init__()
        self.bags = nn.EmbeddingBag(n_words, width, mode="mean")
        self.drop = nn.Dropout(drop)
        self.topics = nn.Linear(width, n_topics)
        nn.init.normal_(self.bags.weight, std=0.1)

    def forward(self, words, starts):
        return self.topics(self.drop(self.bags(words, starts)))
