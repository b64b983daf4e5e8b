from datasets import load_dataset
from transformers import AutoTokenizer, DataCollatorWithPadding

CONFIG = {
    "name": "roberta-base",
    "tokenizer": {"truncation": True, "max_length": 512, "padding": "max_length"},
    "dynamic": {"truncation": True, "max_length": 512, "padding": False},
}


class Preprocess:
    def __init__(self, tokenizer, options):
        self.tokenizer = tokenizer
        self.options = options

    def __call__(self, rows):
        return self.tokenizer(rows["text"], **self.options)  # expect: DP150


class Dynamic:
    def __init__(self, tokenizer, options):
        self.tokenizer = tokenizer
        self.options = options

    def __call__(self, rows):
        return self.tokenizer(rows["text"], **self.options)


OPTIONS = dict(truncation=True, max_length=512, padding="max_length")


def prepare(config):
    tokenizer = AutoTokenizer.from_pretrained(config["name"])
    data = load_dataset("imdb", split="train")

    def encode(rows):
        return tokenizer(rows["text"], **OPTIONS)  # expect: DP150

    first = data.map(Preprocess(tokenizer, config["tokenizer"]), batched=True)
    second = data.map(Dynamic(tokenizer, config["dynamic"]), batched=True)
    third = data.map(encode, batched=True)
    return first, second, third, DataCollatorWithPadding(tokenizer)


prepare(CONFIG)
