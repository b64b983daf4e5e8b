import cv2
import torch
from PIL import Image
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torchvision.transforms.functional import to_tensor


class Paths(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]


class Pictures(Paths):
    def __getitem__(self, index):
        path, label = self.rows[index]
        return to_tensor(Image.open(path)), label


def train(model, optimizer, rows):
    loader = DataLoader(Paths(rows), batch_size=32, shuffle=True, num_workers=8, persistent_workers=True)
    for paths, labels in loader:
        images = torch.stack([to_tensor(Image.open(path)) for path in paths])  # expect: DP446
        loss = nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


class Tuner:
    def __init__(self, model, rows):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        self.loader = DataLoader(Paths(rows), batch_size=32, shuffle=True, num_workers=8, persistent_workers=True)

    def inputs(self, paths):
        return torch.stack([torch.from_numpy(cv2.imread(path)).float() for path in paths])  # expect: DP446

    def step(self, paths, labels):
        loss = nn.functional.cross_entropy(self.model(self.inputs(paths)), labels)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def run(self):
        for paths, labels in self.loader:
            self.step(paths, labels)


def right(model, optimizer, rows):
    loader = DataLoader(Pictures(rows), batch_size=32, shuffle=True, num_workers=8, persistent_workers=True)
    for step, (images, labels) in enumerate(loader):
        loss = nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 100 == 0:
            print(Image.open("example.png").size)


def show(paths):
    return [Image.open(path) for path in paths]
