from __future__ import annotations
from collections import OrderedDict
from dataclasses import dataclass, fields

import torch
from torch import nn


@dataclass
class Config:
    vocab_size: int = 40
    hidden_size: int = 12
    num_layers: int = 2
    num_labels: int = 3
    output_hidden_states: bool = True


class ModelOutput(OrderedDict):
    def __getattr__(self, k):
        return self[k]


class PreTrained(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config

    def post_init(self):
        self.apply(self._init_weights)

    def _init_weights(self, m):
        if isinstance(m, nn.Linear):
            m.weight.data.normal_(mean=0.0, std=0.2)
            if m.bias is not None:
                m.bias.data.zero_()
        elif isinstance(m, nn.Embedding):
            m.weight.data.normal_(0.0, 1.0)


class Layer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size)

    def forward(self, h):
        return self.LayerNorm(h + torch.relu(self.dense(h)))


class Base(PreTrained):
    def __init__(self, config, add_pooling_layer=False):
        super().__init__(config)
        self.embeddings = nn.Embedding(config.vocab_size, config.hidden_size)
        self.layers = nn.ModuleList([Layer(config) for _ in range(config.num_layers)])
        self.pooler = nn.Linear(config.hidden_size, config.hidden_size) if add_pooling_layer else None
        self.post_init()

    def forward(self, input_ids):
        h, all_h = self.embeddings(input_ids), ()
        for l in self.layers:
            all_h += (h,)
            h = l(h)
        return ModelOutput(last_hidden_state=h, hidden_states=all_h if self.config.output_hidden_states else None)


class ForTokenClassification(PreTrained):
    def __init__(self, config):
        super().__init__(config)
        self.base = Base(config)
        self.classifier = nn.Linear(config.hidden_size, config.num_labels)
        self.post_init()

    def forward(self, input_ids, labels=None):
        out = self.base(input_ids)
        logits = self.classifier(out.last_hidden_state)
        loss = None
        if labels is not None:
            loss = nn.CrossEntropyLoss()(logits.view(-1, self.config.num_labels), labels.view(-1))
        return ModelOutput(loss=loss, logits=logits, hidden_states=out.hidden_states)


def gradflow_probe():
    torch.manual_seed(0)
    model = ForTokenClassification(Config())
    ids = torch.randint(0, 40, (3, 6))
    return model, model(ids, labels=ids % 3).loss
