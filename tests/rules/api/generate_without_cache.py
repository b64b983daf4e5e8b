import torch
import torch.nn as nn
import torch.nn.functional as F
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("gpt2")


def ask(ids):
    return model.generate(ids, use_cache=False)  # expect: DP153


def ask_with_cache(ids, cached):
    first = model.generate(ids)
    second = model.generate(ids, use_cache=True)
    return first, second, model.generate(ids, use_cache=cached)


@torch.no_grad()
def extend(ids, count):
    for _ in range(count):  # hint: DP183
        logits = model(ids).logits  # expect: DP153
        ids = torch.cat([ids, logits[:, -1:].argmax(-1)], dim=1)
    return ids


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(64, 1000)
        self.block_size = 64

    def forward(self, idx):
        return self.head(F.one_hot(idx, 64).float())

    @torch.no_grad()
    def generate(self, idx, max_new_tokens):
        for _ in range(max_new_tokens):
            idx_cond = idx if idx.size(1) <= self.block_size else idx[:, -self.block_size :]
            logits = self(idx_cond)  # expect: DP153
            probs = F.softmax(logits[:, -1, :], dim=-1)
            idx_next = torch.multinomial(probs, num_samples=1)
            idx = torch.cat((idx, idx_next), dim=1)
        return idx


@torch.no_grad()
def with_past(ids, count):
    past = None
    new = ids
    for _ in range(count):  # hint: DP183
        out = model(new, past_key_values=past, use_cache=True)
        past = out.past_key_values
        new = out.logits[:, -1:].argmax(-1)
        ids = torch.cat([ids, new], dim=1)  # hint: DP138
    return ids


@torch.no_grad()
def features(x, parts, layer: nn.Linear):
    for i in range(100):
        x = layer(x)
        x = torch.cat([x, parts[i]], dim=-1)
    return x


@torch.no_grad()
def last_token_only(ids, count, state):
    for _ in range(count):  # hint: DP183
        logits = model(ids[:, -1:]).logits
        ids = torch.cat([ids, logits[:, -1:].argmax(-1)], dim=1)
    return ids


class DenseBlock(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.layers = nn.ModuleList(nn.Conv2d(width * (i + 1), width, 3, padding=1) for i in range(depth))

    def forward(self, x):
        for layer in self.layers:
            result = layer(x)
            x = torch.cat([x, result], 1)
        return x


# Observations that are added to those before, of which the model gets all.
def observe(objective: nn.Module, points, candidates):
    best = None
    for i in range(50):
        points = torch.cat((points, candidates[i]), dim=0)
        best = objective(points).max()
    return best
