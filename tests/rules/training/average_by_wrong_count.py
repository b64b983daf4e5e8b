import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader
from tqdm import tqdm


@torch.no_grad()
def by_samples(model: nn.Module, dataset):
    loader = DataLoader(dataset, batch_size=64, num_workers=4)
    model.eval()
    total = 0.0
    for x, y in loader:
        total += F.cross_entropy(model(x), y)
    return total / len(loader.dataset)  # expect: DP918


@torch.no_grad()
def by_counted_samples(model: nn.Module, dataset):
    loader = DataLoader(dataset, batch_size=64, num_workers=4)
    criterion = nn.MSELoss()
    model.eval()
    total, n = 0.0, 0
    for i, (x, y) in enumerate(tqdm(loader)):
        loss = criterion(model(x), y)
        total += loss.detach()
        n += x.size(0)
    print(f"loss {total / n:.4f}")  # expect: DP918


@torch.no_grad()
def sum_by_batches(model: nn.Module, dataset):
    loader = DataLoader(dataset, batch_size=64, num_workers=4)
    model.eval()
    total = 0.0
    for x, y in loader:
        total += F.cross_entropy(model(x), y) * x.shape[0]
    total /= len(loader)  # expect: DP918
    return total


@torch.no_grad()
def hits_by_batches(model: nn.Module, dataset):
    loader = DataLoader(dataset, batch_size=64, num_workers=4)
    model.eval()
    correct = 0
    for x, y in loader:
        pred = model(x).argmax(1)
        correct = correct + pred.eq(y).sum()
    return 100.0 * correct / len(loader)  # expect: DP918


class Trainer:
    def __init__(self, model: nn.Module, train_set, val_set):
        self.model = model
        self.train_loader = DataLoader(train_set, batch_size=64, shuffle=True, num_workers=4)
        self.val_loader = DataLoader(val_set, batch_size=64, num_workers=4)

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        total = 0.0
        for x, y in self.val_loader:
            total += F.l1_loss(self.model(x), y)
        return total / len(self.train_loader)  # expect: DP918

    @torch.no_grad()
    def right(self):
        self.model.eval()
        total = 0.0
        for x, y in self.val_loader:
            total += F.l1_loss(self.model(x), y)
        return total / len(self.val_loader)


@torch.no_grad()
def entries(model: nn.Module, dataset):
    loader = DataLoader(dataset, batch_size=64, num_workers=4)
    model.eval()
    totals = {"loss": 0.0, "hits": 0}
    hits = []
    for x, y in loader:
        out = model(x)
        totals["loss"] += F.cross_entropy(out, y)
        totals["hits"] += (out.argmax(1) == y).sum()
        hits.append((out.argmax(1) == y).sum())
    wrong = totals["loss"] / len(loader.dataset), sum(hits) / len(loader)  # expect: DP918
    right = totals["hits"] / len(loader.dataset), sum(hits) / len(loader.dataset), totals["loss"] / len(loader)
    return wrong, right


# ---- Right, or not known


@torch.no_grad()
def weighted(model: nn.Module, dataset):
    loader = DataLoader(dataset, batch_size=64, num_workers=4)
    model.eval()
    total, hits = 0.0, 0
    for x, y in loader:
        out = model(x)
        total += F.cross_entropy(out, y) * len(x)
        hits += (out.argmax(1) == y).sum()
    return total / len(loader.dataset), hits / len(loader.dataset)


@torch.no_grad()
def summed(model: nn.Module, dataset):
    loader = DataLoader(dataset, batch_size=64, num_workers=4)
    model.eval()
    total = 0.0
    for x, y in loader:
        total += F.cross_entropy(model(x), y, reduction="sum")
    return total / len(loader.dataset)


@torch.no_grad()
def one_by_one(model: nn.Module, dataset):
    loader = DataLoader(dataset, batch_size=1, num_workers=4)
    model.eval()
    total = 0.0
    for x, y in loader:
        total += F.cross_entropy(model(x), y)
    return total / len(loader.dataset)


@torch.no_grad()
def unknown_loss(model: nn.Module, dataset, criterion):
    loader = DataLoader(dataset, batch_size=64, num_workers=4)
    model.eval()
    total = 0.0
    for x, y in loader:
        total += criterion(model(x), y)
    return total / len(loader.dataset)


@torch.no_grad()
def counted_batches(model: nn.Module, dataset):
    loader = DataLoader(dataset, batch_size=64, num_workers=4)
    model.eval()
    total, n = 0.0, 0
    for x, y in loader:
        total += F.cross_entropy(model(x), y)
        n += 1
    return total / n


# One sample at a time: the number of iterations is the number of samples.
@torch.no_grad()
def one_by_one(model: nn.Module, dataset, n):
    model.eval()
    total, correct = 0, 0
    for i in range(n):
        x, y = dataset[i]
        correct += (model(x[None]).argmax(1) == y).sum().item()
        total += 1
    return correct / total
