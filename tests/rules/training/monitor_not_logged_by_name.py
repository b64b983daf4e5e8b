# Not all names are known.
import lightning as L
from lightning.pytorch.callbacks import ModelCheckpoint


class Net(L.LightningModule):
    def validation_step(self, batch, index):
        for name, value in self.scores(batch).items():
            self.log(f"val_{name}", value)


best = ModelCheckpoint(monitor="val_loss")
