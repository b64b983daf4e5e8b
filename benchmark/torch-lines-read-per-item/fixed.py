import json
import os
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset

LINES = 1500
BATCH = 50


class Reviews(Dataset):
    def __init__(self, path):
        with open(path) as file:
            self.lines = file.readlines()

    def __len__(self):
        return len(self.lines)

    def __getitem__(self, index):
        record = json.loads(self.lines[index])
        return torch.tensor(record["scores"]), record["label"]


path = os.path.join(tempfile.mkdtemp(), "reviews.jsonl")
with open(path, "w") as file:
    for i in range(LINES):
        file.write(json.dumps({"scores": [i % 7, i % 5, i % 3, 0.5], "label": i % 2, "text": "word " * 40}) + "\n")

means = []
for scores, labels in DataLoader(Reviews(path), batch_size=BATCH):
    means.append([scores.mean().item(), labels.float().mean().item()])

result = means
