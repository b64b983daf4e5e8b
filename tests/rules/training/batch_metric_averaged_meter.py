from collections import defaultdict

import numpy as np
import torch
from sklearn.metrics import accuracy_score, f1_score, roc_auc_score
from torch.utils.data import DataLoader


class Meter:
    def __init__(self):
        self.total, self.count = 0.0, 0

    def update(self, value, n=1):
        self.total += value * n
        self.count += n

    @property
    def mean(self):
        return self.total / self.count


class Collector:
    def __init__(self):
        self.values = []

    def update(self, value):
        self.values.append(value)


@torch.no_grad()
def meters(model, dataset):
    loader = DataLoader(dataset, batch_size=32, num_workers=2)
    by_name = defaultdict(Meter)
    model.eval()
    for x, y in loader:
        predicted = model(x).argmax(1)
        by_name["f1"].update(f1_score(y.numpy(), predicted.numpy(), average="macro"), len(y))  # expect: DP835
        by_name["accuracy"].update(accuracy_score(y.numpy(), predicted.numpy()), len(y))
        by_name["micro"].update(f1_score(y.numpy(), predicted.numpy(), average="micro"), len(y))
    return {name: meter.mean for name, meter in by_name.items()}


@torch.no_grad()
def named(model, dataset):
    loader = DataLoader(dataset, batch_size=32, num_workers=2)
    meter = Meter()
    model.eval()
    for x, y in loader:
        auc = roc_auc_score(y.numpy(), model(x).numpy())  # expect: DP835
        meter.update(auc)
    return meter.mean


@torch.no_grad()
def entries(model, dataset):
    loader = DataLoader(dataset, batch_size=32, num_workers=2)
    totals = {"f1": 0.0, "loss": 0.0}
    model.eval()
    for x, y in loader:
        totals["f1"] += f1_score(y.numpy(), model(x).argmax(1).numpy(), average="macro")  # expect: DP835
        totals["loss"] += 1.0
    return {name: total / len(loader) for name, total in totals.items()}


@torch.no_grad()
def lists(model, dataset):
    loader = DataLoader(dataset, batch_size=32, num_workers=2)
    history = defaultdict(list)
    model.eval()
    for x, y in loader:
        score = f1_score(y.numpy(), model(x).argmax(1).numpy())  # expect: DP835
        history["f1"].append(score)
    return np.mean(history["f1"])


@torch.no_grad()
def weighted(model, dataset):
    loader = DataLoader(dataset, batch_size=32, num_workers=2)
    total, seen = 0.0, 0
    model.eval()
    for x, y in loader:
        total += f1_score(y.numpy(), model(x).argmax(1).numpy()) * len(y)  # expect: DP835
        seen += len(y)
    return total / seen


class Evaluator:
    def __init__(self, model, dataset):
        self.model = model
        self.loader = DataLoader(dataset, batch_size=32, num_workers=2)
        self.scores = []

    def run(self):
        self.model.eval()
        with torch.no_grad():
            for x, y in self.loader:
                self.scores.append(f1_score(y.numpy(), self.model(x).argmax(1).numpy()))  # expect: DP835

    def result(self):
        return sum(self.scores) / len(self.scores)


@torch.no_grad()
def collected(model, dataset):
    loader = DataLoader(dataset, batch_size=32, num_workers=2)
    labels, predictions = [], []
    collector = Collector()
    model.eval()
    for x, y in loader:
        labels.append(y)
        predictions.append(model(x).argmax(1))
        collector.update(f1_score(y.numpy(), predictions[-1].numpy()))
    return f1_score(torch.cat(labels).numpy(), torch.cat(predictions).numpy()), collector


@torch.no_grad()
def per_run(models, dataset, labels, inputs):
    scores = []
    for model in models:
        scores.append(f1_score(labels, model(inputs).argmax(1).numpy()))
    return np.mean(scores)


def progress(model, dataset, optimizer, criterion):
    loader = DataLoader(dataset, batch_size=32, shuffle=True, num_workers=2)
    meter = Meter()
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        scores = model(x)
        criterion(scores, y).backward()
        optimizer.step()
        meter.update(f1_score(y.numpy(), scores.argmax(1).numpy()))  # hint: DP835
    return meter.mean
