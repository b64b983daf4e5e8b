import jax
import jax.numpy as jnp
import numpy as np
from torch.utils.data import DataLoader
from transformers import AutoTokenizer

MAX = 128


@jax.jit
def step(params, tokens):
    return jnp.sum(params[tokens])


def collate(rows):
    seqs = [row["ids"][:MAX] for row in rows]
    longest = max(map(len, seqs))
    tokens = np.zeros((len(rows), longest), np.int32)
    for i, seq in enumerate(seqs):
        tokens[i, : len(seq)] = seq
    return tokens, np.array([row["label"] for row in rows])


def loader(rows, size):
    for i in range(0, len(rows), size):
        yield collate(rows[i : i + size])


def as_dict(rows):
    width = max(len(row) for row in rows)
    return {"tokens": np.stack([np.pad(row, (0, width - len(row))) for row in rows]), "size": len(rows)}


class Batches:
    def __init__(self, rows):
        self.rows = rows

    def __iter__(self):
        for i in range(0, len(self.rows), 32):
            yield as_dict(self.rows[i : i + 32])


def fixed(rows):
    tokens = np.zeros((len(rows), MAX), np.int32)
    return tokens, len(rows)


def fixed_loader(rows):
    for i in range(0, len(rows), 32):
        yield fixed(rows[i : i + 32])


def train(params, rows, dataset):
    for i, (tokens, labels) in enumerate(loader(rows, 32)):
        step(params, tokens)  # expect: DP224
    for batch in Batches(rows):
        step(params, batch["tokens"])  # expect: DP224
    torch_loader = DataLoader(dataset, batch_size=32, num_workers=4, collate_fn=collate)
    for tokens, labels in torch_loader:
        step(params, tokens)  # expect: DP224
    for tokens, count in fixed_loader(rows):
        step(params, tokens)
    for tokens, labels in loader(rows, 32):
        step(params, labels)


tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")


def predict(params, texts):
    for i in range(0, len(texts), 32):
        encoded = tokenizer(texts[i : i + 32], padding=True, truncation=True, return_tensors="np")
        step(params, encoded["input_ids"])  # expect: DP224
    for i in range(0, len(texts), 32):
        encoded = tokenizer(texts[i : i + 32], padding="max_length", max_length=128, return_tensors="np")  # hint: DP199
        step(params, encoded["input_ids"])
    for i in range(0, len(texts), 32):
        encoded = tokenizer(texts[i : i + 32], padding=True, pad_to_multiple_of=64, return_tensors="np")
        step(params, encoded.input_ids)
