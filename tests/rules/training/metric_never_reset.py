import torch
from torchmetrics import MetricCollection
from torchmetrics.classification import BinaryAUROC, BinaryF1Score


def in_loop(model, loader, epochs):
    auc = BinaryAUROC().to("cuda")
    for epoch in range(epochs):
        for x, y in loader:
            auc.update(model(x), y)  # hint: DP232
        print(auc.compute())  # expect: DP836


def made_in_loop(model, loader, epochs):
    for epoch in range(epochs):
        auc = BinaryAUROC()
        for x, y in loader:
            auc.update(model(x), y)  # hint: DP232
        print(auc.compute())


def evaluate_once(model, loader):
    auc = BinaryAUROC()
    for x, y in loader:
        auc.update(model(x), y)
    return auc.compute()


class Runner:
    def __init__(self, model):
        self.model = model
        self.metrics = MetricCollection({"auc": BinaryAUROC(), "f1": BinaryF1Score()}).to("cuda")

    def validate(self, loader):
        for x, y in loader:
            self.metrics.update(self.model(x), y)
        return {k: v for k, v in self.metrics.compute().items()}  # expect: DP836


def run(model, loader):
    runner = Runner(model)
    for epoch in range(100):
        print(runner.validate(loader))


class PerFold:
    def __init__(self, model):
        self.model = model
        self.f1 = BinaryF1Score()

    def validate(self, loader):
        for x, y in loader:
            self.f1.update(self.model(x), y)
        return self.f1.compute()


def cross_validate(folds):
    for model, loader in folds:
        print(PerFold(model).validate(loader))
