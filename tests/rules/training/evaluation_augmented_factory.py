# Transforms and data sets that functions make, for what each call asks.
import torch
from torch.utils.data import Subset, random_split
from torchvision import datasets
from torchvision import transforms as T


def augmented(size):
    return T.Compose([T.RandomResizedCrop(size), T.ToTensor()])


def plain(size):
    return T.Compose([T.Resize(size), T.ToTensor()])


def split(root):
    generator = torch.Generator().manual_seed(0)
    full = datasets.ImageFolder(f"{root}/train", augmented(224))
    train, val = random_split(full, [0.9, 0.1], generator=generator)  # expect: DP926
    return train, val


def split_well(root):
    generator = torch.Generator().manual_seed(0)
    full = datasets.ImageFolder(f"{root}/train", augmented(224))
    train, val = random_split(full, [0.9, 0.1], generator=generator)
    return train, Subset(datasets.ImageFolder(f"{root}/train", plain(224)), val.indices)


def transform_for(is_train):
    if is_train:
        steps = [T.RandomHorizontalFlip(), T.ColorJitter(0.3)]
    else:
        steps = [T.CenterCrop(224)]
    return T.Compose([*steps, T.ToTensor()])


def dataset(root, part, train):
    return datasets.ImageFolder(f"{root}/{part}", transform=transform_for(train))


TRAIN = dataset("data", "train", True)
WRONG = dataset("data", "val", True)  # expect: DP926
VAL = dataset("data", "val", False)
