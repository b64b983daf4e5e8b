import lightning.pytorch as pl
import torchmetrics
from torchmetrics.classification import BinaryAUROC, MulticlassF1Score


class Net(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.auc = BinaryAUROC()
        self.f1 = MulticlassF1Score(num_classes=3)
        self.binary = torchmetrics.F1Score(task="binary")
        self.macro = torchmetrics.Recall(task="multiclass", num_classes=3, average="macro")
        self.accuracy = torchmetrics.Accuracy(task="multiclass", num_classes=3)
        self.micro = torchmetrics.F1Score(task="multiclass", num_classes=3)

    def training_step(self, batch, index):
        x, y = batch
        scores = self(x)
        self.log("auc", self.auc(scores, y))
        self.log("f1", self.f1(scores, y), on_step=False, on_epoch=True)  # expect: DP835
        return scores.mean()

    def validation_step(self, batch, index):
        x, y = batch
        scores = self(x)
        auc = self.auc(scores, y)  # expect: DP818
        self.log("auc", auc, prog_bar=True)  # expect: DP835
        self.log("f1", value=self.f1(scores, y))  # expect: DP835
        self.log("binary", self.binary(scores, y))  # expect: DP835
        self.log("macro", self.macro(scores, y))  # expect: DP835
        self.log("accuracy", self.accuracy(scores, y))
        self.log("micro", self.micro(scores, y))
        self.log("last", self.f1(scores, y), on_epoch=False)
        self.log_dict({"auc": auc, "accuracy": self.accuracy(scores, y)})  # expect: DP835
        self.auc.update(scores, y)  # expect: DP818
        self.log("object", self.auc)

    def on_validation_epoch_end(self):
        self.log("all", self.auc.compute())
        self.auc.reset()
