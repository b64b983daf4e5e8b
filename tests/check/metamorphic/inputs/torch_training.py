"""Training and evaluation in PyTorch, with choices by options."""
import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader
from torchvision import datasets, transforms


class Net(nn.Module):
    def __init__(self, size, deep):
        super().__init__()
        if deep:
            self.body = nn.Sequential(nn.Linear(784, size), nn.ReLU(), nn.Linear(size, size))
        else:
            self.body = nn.Linear(784, size)
        self.head = nn.Linear(size, 10)

    def forward(self, x):
        return self.head(self.features(x))

    def features(self, x):
        scale = torch.ones(1).to(x.device)
        return torch.relu(self.body(x.flatten(1))) * scale


def make_loader(train, batch_size):
    data = datasets.MNIST("data", train=train, transform=transforms.ToTensor())
    if train:
        loader = DataLoader(data, batch_size=batch_size, shuffle=True)
    else:
        loader = DataLoader(data, batch_size=batch_size)
    return loader


def train_epoch(model, loader, optimizer, criterion, device):
    total = 0
    history = []
    for inputs, labels in loader:
        inputs, labels = inputs.to(device), labels.to(device)
        optimizer.zero_grad()
        loss = criterion(model(inputs), labels)
        loss.backward()
        optimizer.step()
        total += loss
        history.append(loss.item())
    return total, history


def evaluate(model, loader, criterion, device):
    model.eval()
    total, correct = 0.0, 0
    for inputs, labels in loader:
        outputs = model(inputs.to(device))
        total += criterion(outputs, labels.to(device)).item()
        correct += (outputs.argmax(1).cpu() == labels).sum().item()
    return total, correct


def report(name, value):
    print(name, value)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--deep", action="store_true")
    parser.add_argument("--adam", action="store_true")
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Net(128, args.deep).to(device)
    if args.adam:
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    else:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    criterion = nn.CrossEntropyLoss()
    train_loader, test_loader = make_loader(True, 64), make_loader(False, 64)
    for epoch in range(10):
        report("loss", train_epoch(model, train_loader, optimizer, criterion, device))
        report("accuracy", evaluate(model, test_loader, criterion, device))


main()
