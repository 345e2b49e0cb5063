import torch
import torch.nn as nn
import torch.nn.functional as F


class RewardModel(nn.Module):
    def __init__(self, vocab_size=32, hidden=16):
        super().__init__()
        self.wte = nn.Embedding(vocab_size, hidden, padding_idx=0)
        self.rnn = nn.GRU(hidden, hidden, batch_first=True)
        self.v_head = nn.Linear(hidden, 1)

    def forward(self, input_ids):
        lengths = (input_ids != 0).sum(dim=1) - 1
        out, _ = self.rnn(self.wte(input_ids))
        rewards = self.v_head(out).squeeze(-1)
        return rewards.gather(1, lengths[:, None]).squeeze(1)


def gradflow_probe():
    torch.manual_seed(0)
    model = RewardModel()
    chosen = torch.randint(1, 32, (4, 7)); chosen[:, 5:] = 0
    rejected = torch.randint(1, 32, (4, 7)); rejected[1, 6:] = 0
    r_c, r_r = model(chosen), model(rejected)
    acc = (r_c > r_r).float().mean().item()
    loss = -F.logsigmoid(r_c - r_r).mean()
    model.last_accuracy = acc
    return model, loss
