import numpy as np
import torch
import torch.utils.data as data
from PIL import Image
from torch.utils.data import DataLoader, Dataset, Subset, TensorDataset, random_split
from torchvision import datasets, transforms


class Pictures(Dataset):
    def __init__(self, paths, transform):
        self.paths = paths
        self.transform = transform

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        return self.load(self.paths[index])

    def load(self, path):
        return self.transform(Image.open(path))


class Rows(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __getitem__(self, index):
        return self.rows[index]


def fires(paths):
    digits = datasets.MNIST("data", train=True, transform=transforms.ToTensor())
    a = DataLoader(digits, batch_size=64)  # expect: DP130
    b = data.DataLoader(Pictures(paths, transforms.ToTensor()), 32, True)
    c = torch.utils.data.DataLoader(dataset=digits, batch_size=64, pin_memory=True)
    train, test = random_split(digits, [50000, 10000])
    d = DataLoader(train, batch_size=8)
    e = DataLoader(Subset(digits, range(10)), batch_size=8)
    return a, b, c, d, e


def unsure(dataset, rows):
    a = DataLoader(dataset, batch_size=4)  # hint: DP130
    b = DataLoader(Rows(rows), batch_size=4)
    return a, b


def silent(paths, kwargs, x, y):
    digits = datasets.MNIST("data", train=True, transform=transforms.ToTensor())
    a = DataLoader(digits, batch_size=64, num_workers=4)
    b = DataLoader(digits, batch_size=64, num_workers=0)  # hint: DP130
    c = DataLoader(digits, 64, True, None, None, 2)
    d = DataLoader(digits, **kwargs)
    e = DataLoader(*paths)
    f = DataLoader(TensorDataset(x, y), batch_size=64)
    in_memory = TensorDataset(x, y)
    g = DataLoader(in_memory, batch_size=64)
    train, test = random_split(in_memory, [10, 10])
    h = DataLoader(train)
    i = DataLoader([1, 2, 3])
    j = DataLoader(list(zip(x, y)), batch_size=2)
    k = next(iter(DataLoader(digits, batch_size=64)))
    m = DataLoader(torch.arange(10), batch_size=2)
    return a, b, c, d, e, f, g, h, i, j, k, m


class Waves(Dataset):
    def __init__(self, waves):
        self.waves = list(waves)

    def __len__(self):
        return len(self.waves)

    def spectrum(self, wave):
        return np.abs(np.fft.rfft(wave))

    def __getitem__(self, index):
        return torch.from_numpy(self.spectrum(self.waves[index]))


def spectra(waves):
    return DataLoader(Waves(waves), batch_size=16)  # expect: DP130
