import random
import torch
from pathlib import Path
from torch import nn
from torch.utils.data import DataLoader, Dataset, Subset
from torchvision import datasets, transforms


class Folder(Dataset):
    def __init__(self, root, transform=None):
        self.files = sorted(Path(root).rglob("*.pt"))
        self.transform = transform

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return torch.load(self.files[i], weights_only=True)


class Sampled(Dataset):
    def __init__(self, root, n):
        self.files = random.sample(sorted(Path(root).rglob("*.pt")), n)

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return torch.load(self.files[i], weights_only=True)


def train(model, opt, loader):
    for x, y in loader:
        opt.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        opt.step()


def direct(model, opt, root, epochs):
    for epoch in range(epochs):
        data = Folder(root)
        loader = DataLoader(data, batch_size=32, shuffle=True, num_workers=4, persistent_workers=True)  # expect: DP131
        train(model, opt, loader)


def sampled(model, opt, root, epochs):
    for epoch in range(epochs):
        loader = DataLoader(Sampled(root, 100), batch_size=32, shuffle=True, num_workers=4, persistent_workers=True)
        train(model, opt, loader)


def grown(model, opt, root, epochs):
    pool = []
    for epoch in range(epochs):
        pool.append(epoch)
        loader = DataLoader(Subset(Folder(root), pool), batch_size=32, shuffle=True, num_workers=4, persistent_workers=True)
        train(model, opt, loader)


def build(kind, root):
    tf = transforms.Compose([transforms.ToTensor()])
    return datasets.ImageFolder(f"{root}/{kind}", tf)


class Trainer:
    def __init__(self, root):
        self.root = root
        self.model = nn.Linear(4, 4)
        self.opt = torch.optim.SGD(self.model.parameters(), 0.1)

    def loader(self):
        return DataLoader(build("train", self.root), batch_size=8, shuffle=True, num_workers=4, persistent_workers=True)  # expect: DP131

    def epoch(self):
        train(self.model, self.opt, self.loader())

    def fit(self, epochs):
        for _ in range(epochs):
            self.epoch()


if __name__ == "__main__":
    m = nn.Linear(4, 4)
    o = torch.optim.SGD(m.parameters(), 0.1)
    direct(m, o, "a", 30)
    sampled(m, o, "a", 30)
    grown(m, o, "a", 30)
    Trainer("a").fit(30)
