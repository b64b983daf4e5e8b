from collections import Counter

import torch
import torchvision
from datasets import load_dataset
from torchvision import transforms

plants = load_dataset("imagefolder", data_dir="plants", split="train")
labels = [row["label"] for row in plants]  # expect: DP158


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


texts = load_dataset("imdb", split="train")
stars = [row["label"] for row in texts]


def of_unknown(rows):
    return [row["label"] for row in rows]
