import lightning as L
import torch
from torch import nn
from torchmetrics.classification import MulticlassAUROC


class Base(L.LightningModule):
    def report(self, stage, values):
        train = stage == "train"
        self.log_dict(values, on_step=train, on_epoch=not train, sync_dist=True)  # expect: DP410

    def report_right(self, stage, values):
        train = stage == "train"
        self.log_dict(values, on_step=train, on_epoch=not train, sync_dist=not train)


class Net(Base):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(3, 19)
        self.auroc = MulticlassAUROC(19)

    def training_step(self, batch, index):
        x, y = batch
        out = self.net(x)
        loss = nn.functional.cross_entropy(out, y)
        self.report("train", {"loss": loss})
        self.report_right("train", {"loss": loss})
        self.auroc.update(out, y)
        self.log("auroc", self.auroc.compute())  # expect: DP410
        self.log("mean", self.all_gather(loss.detach()).mean())  # expect: DP410
        features = self.all_gather(out, sync_grads=True)
        return loss + features.mean()

    def validation_step(self, batch, index):
        x, y = batch
        loss = nn.functional.cross_entropy(self.net(x), y)
        self.report("val", {"loss": loss})
        self.report_right("val", {"loss": loss})

    def on_train_epoch_end(self):
        self.auroc.compute()
        self.auroc.reset()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)
