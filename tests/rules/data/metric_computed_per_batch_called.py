import torch
from torchmetrics import MetricCollection
from torchmetrics.classification import BinaryAccuracy, BinaryAUROC, BinaryAveragePrecision, MulticlassAUROC
from torch.utils.data import DataLoader


class Evaluator:
    def __init__(self, device):
        self.metrics = MetricCollection({"auroc": BinaryAUROC(), "ap": BinaryAveragePrecision()}).to(device)

    @torch.inference_mode()
    def run(self, model, data):
        for x, y in DataLoader(data, 64, num_workers=2):
            self.metrics(torch.sigmoid(model(x)), y)  # expect: DP482
        return self.metrics.compute()


@torch.no_grad()
def evaluate(model, loader: DataLoader):
    auroc = MulticlassAUROC(num_classes=10)
    for x, y in loader:
        auroc(model(x).softmax(dim=1), y)  # expect: DP482
    return auroc.compute()


curve = BinaryAveragePrecision()


@torch.no_grad()
def average_precision(model, loader: DataLoader):
    for x, y in loader:
        scores = model(x).sigmoid()
        curve(scores, y)  # expect: DP482
    value = curve.compute()
    curve.reset()
    return value


@torch.no_grad()
def accuracy(model, loader: DataLoader):
    metric = BinaryAccuracy()
    for x, y in loader:
        metric(model(x).sigmoid(), y)  # hint: DP482
    return metric.compute()


# ---- clean --------------------------------------------------------------------------------------------------------


@torch.no_grad()
def updated(model, loader: DataLoader):
    auroc = BinaryAUROC()
    for x, y in loader:
        auroc.update(model(x).sigmoid(), y)
    return auroc.compute()


@torch.no_grad()
def shown(model, loader: DataLoader):
    auroc = BinaryAUROC()
    for x, y in loader:
        value = auroc(model(x).sigmoid(), y)
        print(value)
    return auroc.compute()


@torch.no_grad()
def of_coarse_curve(model, loader: DataLoader):
    auroc = BinaryAUROC(thresholds=100)
    for x, y in loader:
        auroc.update(model(x).sigmoid(), y)
    return auroc.compute()


@torch.no_grad()
def once(model, x, y):
    auroc = BinaryAUROC()
    auroc(model(x).sigmoid(), y)
    return auroc.compute()


@torch.no_grad()
def by_folds(scores, folds):
    auroc = BinaryAUROC()
    for fold in folds:
        auroc(scores[fold], folds[fold])
    return auroc.compute()
