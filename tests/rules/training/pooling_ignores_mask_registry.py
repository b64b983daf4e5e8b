# The function that takes the mean is chosen from a table, and gets the hidden states as an argument.
from typing import List

import torch
from transformers import AutoModel, AutoTokenizer

POOLERS = {}


def pooler(name):
    def register(function):
        POOLERS[name] = function
        return function

    return register


@pooler("mean")
def mean_pool(hidden, mask):
    return hidden.mean(dim=1)  # expect: DP840


@pooler("first")
def first_pool(hidden, mask):
    return hidden[:, 0]


@pooler("weighted")
def weighted_pool(hidden, mask):
    weights = mask.unsqueeze(-1).to(hidden.dtype)
    return (hidden * weights).sum(dim=1) / weights.sum(dim=1)


class Encoder:
    def __init__(self, name, pooling):
        self.tokenizer = AutoTokenizer.from_pretrained(name)
        self.model = AutoModel.from_pretrained(name).eval()
        self.pool = POOLERS[pooling]

    @torch.inference_mode()
    def __call__(self, texts: List[str]):
        enc = self.tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
        hidden = self.model(**enc).last_hidden_state
        return self.pool(hidden, enc["attention_mask"])
