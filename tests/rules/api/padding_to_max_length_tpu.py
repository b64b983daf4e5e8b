# For a TPU.
from datasets import load_dataset
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")


def encode(batch):
    return tokenizer(batch["text"], padding="max_length", truncation=True, max_length=512)


tokens = load_dataset("imdb").map(encode, batched=True)
