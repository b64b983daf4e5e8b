import torch
from torch.utils.data import DataLoader


def accuracy(model, dataset):
    loader = DataLoader(dataset, batch_size=64, num_workers=4)
    model.eval()
    with torch.no_grad():
        for x, y in loader:
            correct = 0  # expect: DP868
            correct += (model(x).argmax(1) == y).sum()
    return correct / len(dataset)


def losses(model, loader: DataLoader):
    for i, (x, y) in enumerate(loader):
        total = 0.0  # expect: DP868
        kept = []  # expect: DP868
        with torch.no_grad():
            out = model(x)
        total += out.sum()
        kept.append(out)
    print(total / len(loader))
    return torch.cat(kept)


def right(model, loader: DataLoader):
    correct = 0
    for x, y in loader:
        correct += (model(x).argmax(1) == y).sum()  # hint: DP232
    return correct


def of_each_batch(model, loader: DataLoader):
    for x, y in loader:
        correct = 0
        correct += (model(x).argmax(1) == y).sum()  # hint: DP232
        print(correct / len(y))
    return correct


def in_inner_loop(model, loader: DataLoader):
    for x, y in loader:
        hits = 0
        for one in y:
            hits += one
    return hits


def not_read_after(model, loader: DataLoader):
    for x, y in loader:
        total = 0
        total += model(x)
    total = 1
    return total


def left_at_once(model, loader: DataLoader):
    for x, y in loader:
        total = 0
        total += x.sum()
        break
    return total


def over_names(names):
    for name in names:
        length = 0
        length += len(name)
    return length
