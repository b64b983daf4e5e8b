import torch
from datasets import load_dataset
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
reviews = load_dataset("imdb", split="train")


def tokenize(example):
    """Tokens of a text."""
    return tokenizer(example["text"], truncation=True)


def pair(example):
    return tokenizer(example["a"], example["b"], truncation=True, max_length=128)


def clean(example):
    return tokenizer(example["text"].strip(), truncation=True)


def longer(example):
    example["n"] = len(example["text"])
    return tokenizer(example["text"])


def count(example):
    return {"n": len(example["text"])}


def tensors(example):
    return tokenizer(example["text"], return_tensors="pt")


a = reviews.map(tokenize, batched=True)  # expect: DP142
b = reviews.map(pair, num_proc=4, batched=True)  # expect: DP142
c = reviews.map(lambda row: tokenizer(row["text"]), batched=True)  # expect: DP142

d = reviews.map(tokenize, batched=True)
e = reviews.map(tokenize, batched=False)
f = reviews.map(clean)  # expect: DP142
g = reviews.map(longer)  # expect: DP142
h = reviews.map(count)
i = reviews.map(tensors)  # expect: DP142
j = [1].map(tokenize)
