import json
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Dict, List, Mapping, NamedTuple, Optional, Union

import torch
from torch import nn


class TaskKind(Enum):
    CLASSIFICATION = auto()
    REGRESSION = auto()
    TAGGING = auto()


@dataclass
class TaskSpec:
    name: str
    kind: TaskKind
    num_outputs: int = 1


@dataclass
class EncoderConfig:
    vocab_size: int
    d_model: int = 64
    n_layers: int = 2
    n_heads: int = 4
    max_len: int = 128


class ModelOutput(NamedTuple):
    loss: Optional[torch.Tensor]
    logits: Dict[str, torch.Tensor]


class MultiTaskBert(nn.Module):
    def __init__(self, config: EncoderConfig, tasks: List[TaskSpec]):
        super().__init__()
        if len({t.name for t in tasks}) != len(tasks):
            raise ValueError("task names must be unique")
        self.tok = nn.Embedding(config.vocab_size, config.d_model)
        self.pos = nn.Embedding(config.max_len, config.d_model)
        layer = nn.TransformerEncoderLayer(config.d_model, config.n_heads, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, config.n_layers)
        self.tasks = {t.name: t for t in tasks}
        self.heads = nn.ModuleDict({t.name: nn.Linear(config.d_model, t.num_outputs) for t in tasks})

    def forward(self, input_ids: torch.LongTensor, attention_mask: Optional[torch.BoolTensor] = None,
                labels: Optional[Mapping[str, torch.Tensor]] = None) -> ModelOutput:
        b, t = input_ids.shape
        pos = torch.arange(t, device=input_ids.device)
        x = self.tok(input_ids) + self.pos(pos)[None]
        pad = None if attention_mask is None else ~attention_mask
        x = self.encoder(x, src_key_padding_mask=pad)
        logits = {}
        for name, task in self.tasks.items():
            h = x if task.kind is TaskKind.TAGGING else x[:, 0]
            logits[name] = self.heads[name](h)
        loss = None
        if labels is not None:
            loss = x.new_zeros(())
            for name, y in labels.items():
                if self.tasks[name].kind is TaskKind.REGRESSION:
                    loss = loss + nn.functional.mse_loss(logits[name].squeeze(-1), y)
                else:
                    loss = loss + nn.functional.cross_entropy(logits[name].flatten(0, -2), y.flatten())
        return ModelOutput(loss, logits)
