import torch
from torch import nn
import torch.nn.functional as F


class LM(nn.Module):
    def __init__(self, v=16, d=12):
        super().__init__()
        self.emb = nn.Embedding(v, d)
        self.gru = nn.GRU(d, d, batch_first=True)
        self.head = nn.Linear(d, v)

    def forward(self, ids):
        return self.head(self.gru(self.emb(ids))[0])


class Trainer(nn.Module):
    def __init__(self, beta=0.04):
        super().__init__()
        self.policy, self.ref, self.beta = LM(), LM(), beta
        self.ref.load_state_dict(self.policy.state_dict())
        for p in self.ref.parameters():
            p.requires_grad_(False)

    @torch.no_grad()
    def rollout(self, prompt, n):
        ids = prompt.repeat(n, 1)
        for _ in range(5):
            ids = torch.cat([ids, torch.multinomial(self.policy(ids)[:, -1].softmax(-1), 1)], 1)
        return ids

    def logps(self, net, ids):
        return net(ids[:, :-1]).log_softmax(-1).gather(-1, ids[:, 1:, None]).squeeze(-1)

    def step(self, prompt, n=6):
        ids = self.rollout(prompt, n)
        reward = (ids[:, 2:] % 2 == 0).float().mean(1)
        adv = (reward - reward.mean()) / (reward.std() + 1e-4)
        logp = self.logps(self.policy, ids)[:, 1:]
        with torch.inference_mode():
            ref = self.logps(self.ref, ids)[:, 1:]
        ref = ref.clone()
        kl = torch.exp(ref - logp) - (ref - logp) - 1
        ratio = torch.exp(logp - logp.detach())
        return -(ratio * adv[:, None] - self.beta * kl).mean()


def gradflow_probe():
    torch.manual_seed(0)
    t = Trainer()
    return t, t.step(torch.tensor([[3, 7]]))
