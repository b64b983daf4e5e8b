import torch
import torch.nn as nn
from torch.utils.data import DataLoader
from tqdm import tqdm

net = nn.Linear(3, 3)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)


@torch.no_grad()
def fires(model, loader):
    model.eval()
    total = 0
    for x, y in tqdm(loader):
        out = model(x)  # expect: DP232
        total += criterion(out, y).item()
    return total


@torch.no_grad()
def of_known_data(dataset):
    batches = DataLoader(dataset, num_workers=4)
    net.train(False)
    for i, (x, y) in enumerate(batches):
        print(net(x).argmax(1))  # expect: DP232


class Trainer:
    def __init__(self, loader):
        self.model = nn.Linear(3, 3)
        self.val_loader = loader

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        for x, y in self.val_loader:
            print(self.model(x).sum().item())  # expect: DP232

    def validate_well(self):
        self.model.eval()
        with torch.no_grad():
            for x, y in self.val_loader:
                print(self.model(x).sum().item())

    @torch.no_grad()
    def validate_decorated(self):
        self.model.eval()
        for x, y in self.val_loader:
            print(self.model(x).sum().item())


def inside_training(model, train_loader, val_loader):
    for epoch in range(100):
        model.train()
        for x, y in train_loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
        model.eval()
        for x, y in val_loader:
            print(model(x).argmax(1))  # expect: DP232


def no_grad_inside(model, loader):
    model.eval()
    for x, y in loader:
        with torch.no_grad():
            print(model(x))


def attack(model, loader):
    model.eval()
    for x, y in loader:
        x.requires_grad = True
        loss = criterion(model(x), y)
        print(torch.autograd.grad(loss, x))


def not_evaluating(model, loader):
    for x, y in loader:
        yield model(x)


def back_to_training(model, loader):
    model.eval()
    model.train()
    for x, y in loader:
        print(model(x))  # hint: DP232


def called_well(model, loader):
    model.eval()
    for x, y in loader:
        print(model(x))


def caller(model, loader):
    with torch.inference_mode():
        called_well(model, loader)


def unknown_context(model, loader, frozen):
    model.eval()
    with frozen(model):
        for x, y in loader:
            print(model(x))


@inference_only
def unknown_decorator(model, loader):
    model.eval()
    for x, y in loader:
        print(model(x))


def fine_tuned_in_eval_mode(model, loader):
    model.eval()
    for x, y in loader:
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


@torch.no_grad()
def not_a_loader(model, sentences):
    model.eval()
    for sentence in sentences:
        print(model(sentence))  # expect: DP232
from elsewhere import inference_only
