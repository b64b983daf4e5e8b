# The padding is a default of the program's own settings, and the collator would pad each batch.
from dataclasses import dataclass
from typing import Union

from datasets import load_dataset
from transformers import AutoTokenizer, DataCollatorWithPadding


@dataclass
class Settings:
    max_length: int = 512
    padding: Union[bool, str] = "max_length"


class Tweets:
    def __init__(self, settings: Settings, tokenizer):
        self.settings = settings
        self.tokenizer = tokenizer

    def encode(self, rows):
        return self.tokenizer(
            rows["text"], truncation=True, padding=self.settings.padding, max_length=self.settings.max_length  # expect: DP150
        )

    def load(self):
        return load_dataset("tweet_eval", "sentiment").map(self.encode, batched=True)


def main(settings=Settings()):
    tokenizer = AutoTokenizer.from_pretrained("cardiffnlp/twitter-roberta-base")
    return Tweets(settings, tokenizer).load(), DataCollatorWithPadding(tokenizer)
