import lightning as L
from torchmetrics.classification import BinaryAUROC, BinaryF1Score


class FedFromHost(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.metrics = {"auc": BinaryAUROC(), "f1": BinaryF1Score()}

    def validation_step(self, batch, index):
        x, y = batch
        for metric in self.metrics.values():
            metric.update(self(x).cpu(), y.cpu())


class MovesThem(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.metrics = {"auc": BinaryAUROC(), "f1": BinaryF1Score()}

    def on_fit_start(self):
        for metric in self.metrics.values():
            metric.to(self.device)
