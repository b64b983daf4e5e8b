import copy
import os

import torch
from torch.utils.data import DataLoader, Subset, SubsetRandomSampler, random_split
from torchvision import datasets, transforms

AUGMENT = transforms.Compose([transforms.RandomCrop(32, padding=4), transforms.RandomHorizontalFlip(), transforms.ToTensor()])
PLAIN = transforms.Compose([transforms.CenterCrop(32), transforms.ToTensor()])


def created():
    train = datasets.CIFAR10("data", train=True, transform=AUGMENT)
    test = datasets.CIFAR10("data", train=False, transform=AUGMENT)  # expect: DP926
    return train, test


def folders(root):
    train = datasets.ImageFolder(os.path.join(root, "train"), transform=AUGMENT)
    val = datasets.ImageFolder(os.path.join(root, "val"), transform=AUGMENT)  # expect: DP926
    letters = datasets.EMNIST("data", split="letters", transform=AUGMENT)
    svhn = datasets.SVHN("data", split="test", transform=transforms.ColorJitter(0.2))  # expect: DP926
    return train, val, letters, svhn


class Data:
    def setup(self):
        full = datasets.ImageFolder("data", transform=AUGMENT)
        generator = torch.Generator().manual_seed(0)
        self.train_set, self.val_set = random_split(full, [0.8, 0.2], generator=generator)  # expect: DP926


def subset(train_ids, val_ids):
    full = datasets.ImageFolder("data", transform=AUGMENT)
    plain = datasets.ImageFolder("data", transform=PLAIN)
    train_part, val_part = Subset(full, train_ids), Subset(full, val_ids)
    val_set = Subset(full, val_ids)  # expect: DP926
    right = Subset(plain, val_ids)
    return train_part, val_part, val_set, right


def halves():
    full = datasets.ImageFolder("data", transform=AUGMENT)
    generator = torch.Generator().manual_seed(0)
    labelled, unlabelled = random_split(full, [0.5, 0.5], generator=generator)
    return labelled, unlabelled


def plain():
    test = datasets.CIFAR10("data", train=False, transform=PLAIN)
    full = datasets.CIFAR10("data", train=True, transform=PLAIN)
    train, val = random_split(full, [45000, 5000], generator=torch.Generator().manual_seed(0))
    return train, val, test


def make(train):
    return datasets.CIFAR10("data", train=train, transform=AUGMENT)  # expect: DP926


def both():
    return make(True), make(False)


def returned():
    full = datasets.ImageFolder("data", transform=AUGMENT)
    return random_split(full, [0.8, 0.2], generator=torch.Generator().manual_seed(0))  # expect: DP926


def unpacked():
    train_part, val_part = returned()
    return train_part, val_part


def samplers(order):
    full = datasets.CIFAR10("data", train=True, transform=AUGMENT)
    train_loader = DataLoader(full, 64, sampler=SubsetRandomSampler(order[:45000]), num_workers=4)
    val_loader = DataLoader(full, 64, sampler=SubsetRandomSampler(order[45000:]), num_workers=4)  # expect: DP926
    return train_loader, val_loader


def rotated(root):
    plain = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.1,), (0.3,))])
    turned = transforms.Compose([transforms.ToTensor(), transforms.RandomRotation([0, 360]), transforms.Normalize((0.1,), (0.3,))])
    train = datasets.MNIST(root, train=True, transform=plain)
    test = datasets.MNIST(root, train=False, transform=turned)
    return train, test


def swapped(root):
    train = datasets.MNIST(root, train=True, transform=PLAIN)
    test = datasets.MNIST(root, train=False, transform=AUGMENT)  # expect: DP926
    return train, test
