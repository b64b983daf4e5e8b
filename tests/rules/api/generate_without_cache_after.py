import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.embed = nn.Embedding(size, 64)
        self.layer = nn.TransformerEncoderLayer(64, 4, batch_first=True)
        self.head = nn.Linear(64, size)

    def forward(self, ids, caches=None):
        return self.head(self.layer(self.embed(ids))[:, -1]), caches


@torch.inference_mode()
def whole(model: Model, ids, count):
    logits, caches = model(ids)
    for _ in range(count):
        token = logits.argmax(-1, keepdim=True)
        ids = torch.cat([ids, token], dim=1)
        logits, caches = model(ids)  # expect: DP153 # hint: DP813
    return ids


@torch.inference_mode()
def only_the_new_token(model: Model, ids, count):
    logits, caches = model(ids)
    for _ in range(count):
        token = logits.argmax(-1, keepdim=True)
        ids = torch.cat([ids, token], dim=1)  # expect: DP138
        logits, caches = model(token, caches)  # hint: DP813
    return ids


@torch.inference_mode()
def once_at_the_end(model: Model, ids, parts):
    for part in parts:
        ids = torch.cat([ids, part], dim=1)  # hint: DP138
    return model(ids)
