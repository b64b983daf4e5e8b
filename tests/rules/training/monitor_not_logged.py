import lightning as L
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint


class Net(L.LightningModule):
    def training_step(self, batch, index):
        loss = self(batch).mean()
        self.log("train_loss", loss, on_epoch=True)
        return loss

    def validation_step(self, batch, index):
        self.log_dict({"val/loss": self(batch).mean(), "val/acc": 1.0})


wrong = ModelCheckpoint(monitor="val_loss")  # expect: DP937
stop = EarlyStopping("val_acc", mode="max")  # expect: DP937
right = ModelCheckpoint(monitor="val/loss")
epoch = EarlyStopping(monitor="train_loss_epoch")
newest = ModelCheckpoint(save_last=True)
every = ModelCheckpoint(monitor="step", mode="max", save_top_k=3)
last = ModelCheckpoint(monitor="epoch", mode="max")
never = EarlyStopping(monitor="step")  # expect: DP937
