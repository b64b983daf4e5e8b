from typing import NamedTuple

import torch
from torch import nn
from torch.utils.data import DataLoader

PAD = 0


class Batch(NamedTuple):
    ids: torch.Tensor
    real: torch.Tensor


def collate(samples):
    ids = nn.utils.rnn.pad_sequence(samples, batch_first=True, padding_value=PAD)
    return {"ids": ids, "keep": ids.ne(PAD), "drop": ids == PAD}


def collate_tuple(samples):
    ids = nn.utils.rnn.pad_sequence(samples, batch_first=True, padding_value=PAD)
    return Batch(ids=ids, real=ids != PAD)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(1000, 64, padding_idx=PAD)
        self.stack = nn.TransformerEncoder(nn.TransformerEncoderLayer(64, 4, batch_first=True), 2)

    def forward(self, ids, mask):
        return self.stack(self.embed(ids), src_key_padding_mask=mask)  # expect: DP902


class EncoderRight(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(1000, 64, padding_idx=PAD)
        self.stack = nn.TransformerEncoder(nn.TransformerEncoderLayer(64, 4, batch_first=True), 2)

    def forward(self, ids, mask):
        return self.stack(self.embed(ids), src_key_padding_mask=mask)


class OfTuple(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(1000, 64, padding_idx=PAD)
        self.stack = nn.TransformerEncoder(nn.TransformerEncoderLayer(64, 4, batch_first=True), 2)

    def forward(self, batch: Batch):
        return self.stack(self.embed(batch.ids), src_key_padding_mask=batch.real)  # expect: DP902


class MeanOfReal(nn.Module):
    def forward(self, x, mask):
        weights = mask.unsqueeze(-1).to(x.dtype)
        return (x * weights).sum(1) / weights.sum(1).clamp(min=1)


class Pooled(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(64, 4, batch_first=True)
        self.pool = MeanOfReal()

    def forward(self, x, mask):
        x, _ = self.attention(x, x, x, key_padding_mask=mask, need_weights=False)  # expect: DP902
        y, _ = self.attention(x, x, x, key_padding_mask=~mask, need_weights=False)
        return self.pool(x + y, mask)


def run(data, device):
    wrong, right, tuples = Encoder().to(device), EncoderRight().to(device), OfTuple().to(device)
    wrong.eval()
    right.eval()
    loader = DataLoader(data, batch_size=32, collate_fn=collate, num_workers=4, pin_memory=True, persistent_workers=True)
    with torch.no_grad():
        for batch in loader:
            batch = {name: part.to(device, non_blocking=True) for name, part in batch.items()}
            wrong(batch["ids"], batch["keep"])
            right(batch["ids"], batch["drop"])
            right(batch["ids"], ~batch["keep"])
    return tuples
