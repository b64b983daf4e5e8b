"""Metrics in a dictionary."""
import torch
import torchmetrics
from torch import nn


class Metrics:
    def __init__(self, classes, device):
        self.all = {
            "accuracy": torchmetrics.Accuracy(task="multiclass", num_classes=classes).to(device),
            "f1": torchmetrics.F1Score(task="multiclass", num_classes=classes).to(device),
        }

    def update(self, out, y):
        for metric in self.all.values():
            metric.update(out, y)

    def compute(self):
        return {name: metric.compute() for name, metric in self.all.items()}  # expect: DP836


def fit(model: nn.Module, loader, epochs):
    metrics = Metrics(10, "cuda")
    model.eval()
    for epoch in range(epochs):
        with torch.no_grad():
            for x, y in loader:
                metrics.update(model(x.cuda()), y.cuda())
        print(epoch, metrics.compute())
