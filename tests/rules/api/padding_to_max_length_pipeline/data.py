from datasets import load_dataset
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")


def encode(batch):
    return tokenizer(batch["text"], padding="max_length", max_length=512, truncation=True)


def prepared():
    return load_dataset("imdb", split="train").map(encode, batched=True)
