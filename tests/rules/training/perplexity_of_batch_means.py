import math

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM


class Totals:
    def __init__(self):
        self.loss = 0.0
        self.tokens = 0
        self.batches = 0

    def add(self, loss, tokens):
        self.loss += loss / tokens
        self.tokens += tokens
        self.batches += 1

    def mean(self):
        return self.loss.item() / self.batches


class RightTotals:
    def __init__(self):
        self.loss = 0.0
        self.tokens = 0

    def add(self, loss, tokens):
        self.loss += loss
        self.tokens += tokens

    def mean(self):
        return self.loss.item() / self.tokens


def with_class(model, loader):
    totals, right = Totals(), RightTotals()
    for ids, labels in loader:
        loss = F.cross_entropy(model(ids).flatten(0, 1), labels.flatten(), reduction="sum")
        totals.add(loss, (labels != -100).sum())
        right.add(loss, (labels != -100).sum())
    return math.exp(totals.mean()), math.exp(right.mean())  # expect: DP986


@torch.no_grad()
def in_loop(model, loader):
    total, batches = 0.0, 0
    for ids, labels in loader:
        tokens = (labels != -100).sum()
        loss = F.cross_entropy(model(ids).flatten(0, 1), labels.flatten(), reduction="sum")
        total += loss / tokens
        batches += 1
    return torch.exp(total / batches)  # expect: DP986


@torch.no_grad()
def of_model(data):
    model = AutoModelForCausalLM.from_pretrained("gpt2").eval()
    loader = DataLoader(data, batch_size=8, num_workers=2)
    total = 0.0
    for batch in loader:
        total += model(**batch).loss.item()
    mean = total / len(loader)
    return math.exp(mean)  # hint: DP986


@torch.no_grad()
def weighted(model, loader):
    total, count = 0.0, 0
    for ids, labels in loader:
        tokens = (labels != -100).sum()
        loss = F.cross_entropy(model(ids).flatten(0, 1), labels.flatten(), reduction="sum")
        total += loss
        count += tokens
    return torch.exp(total / count)
