import torch
from torch.utils.data import DataLoader

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def fires(model, images, workers):
    loader = DataLoader(images, batch_size=64, num_workers=4, pin_memory=True)  # expect: DP132
    for x, y in loader:
        model(x.cuda(), y)
    second = DataLoader(images, batch_size=64, num_workers=workers, pin_memory=True)  # expect: DP132
    for i, batch in enumerate(second):
        model(batch["image"].to(device))


def train(model, loader):
    for x in loader:
        x = x.to(device)
        model(x)


def main(model, images):
    train(model, DataLoader(images, num_workers=2, pin_memory=True))  # expect: DP132


class Trainer:
    def __init__(self, images):
        self.loader = DataLoader(images, num_workers=2, pin_memory=True)  # expect: DP132

    def run(self, model):
        for batch in self.loader:
            model(tuple(part.to("cuda:0") for part in batch))


def unsure(model, images):
    loader = DataLoader(images, batch_size=64, num_workers=0)  # hint: DP132
    for x, y in loader:
        model(x.cuda(), y)


def silent(model, images, kwargs, other):
    a = DataLoader(images, num_workers=4, pin_memory=True)
    b = DataLoader(images, num_workers=4, pin_memory=False)
    c = DataLoader(images, num_workers=4, **kwargs)
    for loader in (a, b, c):
        for x in loader:
            model(x.cuda())  # hint: DP132
    for x in a:
        model(x.cuda())
    for x in b:
        model(x.to(device))
    for x in c:
        model(x.to(device))
    d = DataLoader(images, num_workers=4)
    for x in d:
        model(x)
    e = DataLoader(images, num_workers=4)
    for x in e:
        model(x.to(torch.float16))
    f = DataLoader(images, num_workers=4)
    for x in f:
        model(x.to("cpu"))
    g = DataLoader(images, num_workers=4)
    for x in g:
        model(x.to(other))
