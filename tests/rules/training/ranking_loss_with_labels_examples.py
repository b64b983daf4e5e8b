import csv

from sentence_transformers import InputExample, SentenceTransformer, losses
from torch.utils.data import DataLoader

model = SentenceTransformer("all-MiniLM-L6-v2")


def examples(path):
    with open(path) as file:
        return [InputExample(texts=[row["a"], row["b"]], label=float(row["same"])) for row in csv.DictReader(file)]


loader = DataLoader(examples("pairs.csv"), shuffle=True, batch_size=64)
loss = losses.CachedMultipleNegativesRankingLoss(model)  # expect: DP976
model.fit([(loader, loss)], epochs=1)
