# The loaders of a class share one default, which is reported at the first of them.
import torch
from torch.utils.data import DataLoader, Dataset
from torchvision import datasets, transforms


class Data:
    def __init__(self, root, num_workers: int = 0):
        self.images = datasets.CIFAR10(root, transform=transforms.ToTensor())
        self.num_workers = num_workers

    def train_loader(self):
        return DataLoader(self.images, batch_size=64, shuffle=True, num_workers=self.num_workers)  # expect: DP130

    def val_loader(self):
        return DataLoader(self.images, batch_size=64, num_workers=self.num_workers)


class Others:
    def __init__(self, root):
        self.images = datasets.CIFAR10(root, transform=transforms.ToTensor())

    def train_loader(self):
        return DataLoader(self.images, batch_size=64, shuffle=True)  # expect: DP130

    def val_loader(self):
        return DataLoader(self.images, batch_size=64)  # expect: DP130
