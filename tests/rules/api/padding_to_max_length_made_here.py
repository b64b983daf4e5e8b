# Nobody but the program itself fills these settings, so the default is what holds.
from dataclasses import dataclass

import torch
from torch.utils.data import DataLoader
from transformers import AutoTokenizer, HfArgumentParser


@dataclass
class Settings:
    max_length: int = 512
    padding: str = "max_length"


@dataclass
class Options:
    max_length: int = 512
    padding: str = "max_length"


class Collator:
    def __init__(self, tokenizer, cfg):
        self.tokenizer = tokenizer
        self.cfg = cfg

    def __call__(self, rows):
        texts, labels = zip(*rows)
        batch = self.tokenizer(list(texts), padding=self.cfg.padding, truncation=True, max_length=self.cfg.max_length)  # expect: DP150, # hint: DP149
        return batch, torch.tensor(labels)


class Parsed:
    def __init__(self, tokenizer, cfg):
        self.tokenizer = tokenizer
        self.cfg = cfg

    def __call__(self, rows):
        return self.tokenizer(list(rows), padding=self.cfg.padding, truncation=True, max_length=self.cfg.max_length)  # hint: DP149


def main(data):
    tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
    (options,) = HfArgumentParser(Options).parse_args_into_dataclasses()
    options = options or Options()
    first = DataLoader(data, batch_size=32, num_workers=4, collate_fn=Collator(tokenizer, Settings()))
    second = DataLoader(data, batch_size=32, num_workers=4, collate_fn=Parsed(tokenizer, options))
    return first, second
