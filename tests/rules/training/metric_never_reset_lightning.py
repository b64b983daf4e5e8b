import lightning as L
from torchmetrics.classification import BinaryAUROC


class Computes(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.auc = BinaryAUROC()

    def validation_step(self, batch, index):
        x, y = batch
        self.auc.update(self(x), y)

    def on_validation_epoch_end(self):
        self.log("auc", self.auc.compute())  # expect: DP836


class LogsObject(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.auc = BinaryAUROC()

    def validation_step(self, batch, index):
        x, y = batch
        self.auc.update(self(x), y)
        self.log("auc", self.auc)

    def on_validation_epoch_end(self):
        print(self.auc.compute())
