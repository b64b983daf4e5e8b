from collections import Counter

from datasets import load_dataset
from torch.utils.data import WeightedRandomSampler


class Plants:
    def __init__(self, name):
        self.dataset = load_dataset(name, split="train")

    def sampler(self):
        counts = Counter(example["label"] for example in self.dataset)  # expect: DP158
        weights = [1 / counts[label] for label in self.dataset["label"]]
        return WeightedRandomSampler(weights, len(weights))

    def names(self):
        seen = set()
        for row in self.dataset:  # expect: DP158
            seen.add(row["name"])
        return seen

    def first(self):
        return {self.dataset[i]["label"] for i in range(len(self.dataset))}  # expect: DP158

    def pictures(self, batch):
        return [picture.convert("RGB") for picture in batch["image"]]

    def sizes(self):
        return [(row["image"].size, row["label"]) for row in self.dataset]
