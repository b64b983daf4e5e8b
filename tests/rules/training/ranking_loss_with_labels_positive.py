"""Right: only positive pairs are kept, or all of them are."""

import csv

from datasets import load_dataset
from sentence_transformers import InputExample, SentenceTransformer, losses
from torch.utils.data import DataLoader

model = SentenceTransformer("all-MiniLM-L6-v2")


def examples(path):
    found = []
    with open(path) as file:
        for row in csv.DictReader(file):
            if row["same"] == "1":
                found.append(InputExample(texts=[row["a"], row["b"]], label=float(row["same"])))
    return found


def chosen(rows):
    return [InputExample(texts=[row["a"], row["b"]], label=float(row["same"])) for row in rows if row["same"]]


def positives():
    pairs = load_dataset("csv", data_files="pairs.csv", split="train").filter(lambda row: row["label"] == 1)
    return pairs.select_columns(["a", "b", "label"])


loader = DataLoader(examples("pairs.csv"), shuffle=True, batch_size=64, num_workers=2)
model.fit([(loader, losses.MultipleNegativesRankingLoss(model))], epochs=1)
