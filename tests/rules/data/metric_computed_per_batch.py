import lightning as L
import torch
from torchmetrics import MetricCollection
from torchmetrics.classification import BinaryAccuracy, BinaryAUROC, MulticlassAveragePrecision
from torchmetrics.regression import SpearmanCorrCoef


class Clicks(L.LightningModule):
    def __init__(self, net):
        super().__init__()
        self.net = net
        self.auroc = BinaryAUROC()
        self.binned = BinaryAUROC(thresholds=200)
        self.accuracy = BinaryAccuracy()

    def validation_step(self, batch, index):
        x, y = batch
        scores = self.net(x).sigmoid()
        self.auroc.update(scores, y)
        self.binned.update(scores, y)
        self.accuracy.update(scores, y)
        self.log("running", self.auroc.compute())  # expect: DP482
        self.log("binned", self.binned.compute())
        self.log("accuracy", self.accuracy.compute())
        if index % 500 == 0:
            self.log("sometimes", self.auroc.compute())

    def on_validation_epoch_end(self):
        self.log("auroc", self.auroc.compute())
        self.auroc.reset()
        self.binned.reset()
        self.accuracy.reset()


class Evaluator:
    def __init__(self, model, device):
        self.model = model
        self.device = device
        self.precision = MulticlassAveragePrecision(num_classes=10).to(device)

    @torch.no_grad()
    def run(self, loader: torch.utils.data.DataLoader):
        self.precision.reset()
        for x, y in loader:
            self.precision.update(self.model(x.to(self.device)).softmax(-1), y.to(self.device))
            print(self.precision.compute())  # expect: DP482
        return self.precision.compute()

    @torch.no_grad()
    def batches(self, loader: torch.utils.data.DataLoader):
        for x, y in loader:
            self.precision.update(self.model(x.to(self.device)).softmax(-1), y.to(self.device))
            print(self.precision.compute())
            self.precision.reset()


@torch.inference_mode()
def collected(model, loader: torch.utils.data.DataLoader, device):
    metrics = MetricCollection({"accuracy": BinaryAccuracy(), "auroc": BinaryAUROC()}).to(device)
    for x, y in loader:
        metrics.update(model(x.to(device)).sigmoid(), y.to(device))
        running = metrics.compute()  # expect: DP482
    return running


@torch.inference_mode()
def fresh(model, loader: torch.utils.data.DataLoader):
    for x, y in loader:
        rank = SpearmanCorrCoef()  # expect: DP236
        rank.update(model(x), y)
        print(rank.compute())


@torch.inference_mode()
def at_the_end(model, loader: torch.utils.data.DataLoader):
    rank = SpearmanCorrCoef()
    for x, y in loader:
        rank.update(model(x), y)
    return rank.compute()
