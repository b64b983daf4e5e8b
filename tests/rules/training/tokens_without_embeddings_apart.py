from dataclasses import dataclass

from torch import nn
from transformers import AutoModel, AutoTokenizer

MARKERS = ["[E1]", "[/E1]", "[E2]", "[/E2]"]


@dataclass
class Config:
    name: str = "bert-base-uncased"


class Relation(nn.Module):
    def __init__(self, config: Config, tokenizer):
        super().__init__()
        self.encoder = AutoModel.from_pretrained(config.name)
        self.starts = tokenizer.convert_tokens_to_ids(["[E1]", "[E2]"])

    def forward(self, ids, mask):
        return self.encoder(ids, attention_mask=mask).last_hidden_state[:, 0]


def build_tokenizer(config: Config):
    tokenizer = AutoTokenizer.from_pretrained(config.name)
    tokenizer.add_special_tokens({"additional_special_tokens": MARKERS})  # expect: DP904
    return tokenizer


def build():
    config = Config()
    tokenizer = build_tokenizer(config)
    return Relation(config, tokenizer), tokenizer
