"""Right: pairs without labels, or with the same label."""

from datasets import load_dataset
from sentence_transformers import InputExample, SentenceTransformer, losses
from torch.utils.data import DataLoader

model = SentenceTransformer("all-MiniLM-L6-v2")


def pairs(rows):
    return [InputExample(texts=[row["a"], row["b"]]) for row in rows]


def ones(rows):
    return [InputExample(texts=[row["a"], row["b"]], label=1.0) for row in rows]


def triples():
    return load_dataset("json", data_files="triples.json", split="train").select_columns(["anchor", "positive", "negative"])


def held_out(rows):
    return [InputExample(texts=[row["a"], row["b"]], label=float(row["same"])) for row in rows]


loader = DataLoader(pairs(load_dataset("csv", data_files="pairs.csv", split="train")), shuffle=True, batch_size=64)
model.fit([(loader, losses.MultipleNegativesRankingLoss(model))], epochs=1)
