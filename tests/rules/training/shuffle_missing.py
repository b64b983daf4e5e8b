import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, RandomSampler
from torchvision.datasets import CIFAR10


class Files(Dataset):
    def __getitem__(self, i):
        return i

    def __len__(self):
        return 10


class Stream(IterableDataset):
    def __iter__(self):
        return iter(range(10))


def fires():
    train_loader = DataLoader(CIFAR10("data"), batch_size=64, num_workers=4)  # hint: DP817
    files = Files()
    trainloader = DataLoader(files, 64, num_workers=4)  # hint: DP817
    return train_loader, trainloader


def silent(other, options):
    train_loader = DataLoader(CIFAR10("data"), batch_size=64, shuffle=True, num_workers=4)
    train_a = DataLoader(CIFAR10("data"), batch_size=64, shuffle=False, num_workers=4)
    train_b = DataLoader(Files(), sampler=RandomSampler(Files()), num_workers=4)
    test_loader = DataLoader(CIFAR10("data"), batch_size=64, num_workers=4)
    train_c = DataLoader(Stream(), batch_size=64)
    train_d = DataLoader(other, batch_size=64, num_workers=4)
    train_e = DataLoader(Files(), **options)
    loader = DataLoader(Files())
    train_eval_loader = DataLoader(Files(), num_workers=4)
    return train_loader, train_a, train_b, test_loader, train_c, train_d, train_e, loader, train_eval_loader, torch
