import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from torchvision import datasets, transforms


def make(root):
    transform = transforms.ToTensor()
    options = dict(num_workers=4, pin_memory=True, persistent_workers=True)
    a = DataLoader(datasets.CIFAR10(root, train=True, transform=transform), 64, **options)  # expect: DP817
    b = DataLoader(datasets.CIFAR10(root, train=False, transform=transform), 64, **options)
    return a, b


def right(root):
    transform = transforms.ToTensor()
    return DataLoader(datasets.CIFAR10(root, transform=transform), 64, shuffle=True, num_workers=4, pin_memory=True, persistent_workers=True)


def fit(net: torch.nn.Module, optimizer: torch.optim.Optimizer):
    train, test = make("data")
    for epoch in range(10):
        net.train()
        for x, y in train:
            optimizer.zero_grad()
            F.cross_entropy(net(x), y).backward()
            optimizer.step()
        for x, y in right("data"):
            optimizer.zero_grad()
            F.cross_entropy(net(x), y).backward()
            optimizer.step()
        net.eval()
        with torch.no_grad():
            print(sum((net(x).argmax(1) == y).sum() for x, y in test))
