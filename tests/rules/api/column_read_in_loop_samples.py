from collections import Counter

import torch
import torchvision
from datasets import load_dataset
from torch.utils.data import WeightedRandomSampler
from torchvision import transforms

plants = load_dataset("imagefolder", data_dir="plants", split="train")
labels = [row["label"] for row in plants]  # expect: DP158


class Plants:
    def __init__(self, name):
        self.dataset = load_dataset(name, split="train")

    def sampler(self):
        counts = Counter(example["label"] for example in self.dataset)  # expect: DP158
        weights = [1 / counts[label] for label in self.dataset["label"]]
        return WeightedRandomSampler(weights, len(weights))

    def pictures(self, batch):
        return [picture.convert("RGB") for picture in batch["image"]]


def count(splits):
    seen = {}
    for row in splits["train"]:  # expect: DP158
        seen[row["label"]] = seen.get(row["label"], 0) + 1
    return seen


count(load_dataset("plants"))
by_index = [plants[i]["label"] for i in range(len(plants))]  # expect: DP158

to_tensor = transforms.Compose([transforms.RandomCrop(32, padding=4), transforms.ToTensor()])
cifar = torchvision.datasets.CIFAR10("data", transform=to_tensor, download=True)
targets = torch.tensor([label for _, label in cifar])  # expect: DP158
numbers = Counter()
for _, y in cifar:  # expect: DP158
    numbers[y] += 1


def class_weights(root):
    folder = torchvision.datasets.ImageFolder(root, to_tensor)
    of_each = [folder[i][1] for i in range(len(folder))]  # expect: DP158
    return torch.bincount(torch.tensor(of_each))


# ---- clean --------------------------------------------------------------------------------------------------------

column = plants["label"]
sizes = [row["image"].size for row in plants]
pairs = [(row["image"], row["label"]) for row in plants]
first = [plants[i]["label"] for i in range(5)]
both = [(plants[i]["image"], plants[i]["label"]) for i in range(len(plants))]
picked = [image for image, _ in cifar]
means = [image.mean() for image, label in cifar if label == 3]
whole = [sample for sample in cifar]
of_targets = Counter(cifar.targets)


def random_labels(indices):
    return [plants[i]["label"] for i in indices]


def of_unknown(rows):
    return [row["label"] for row in rows]
