import pytorch_lightning as pl
import torch


class Own(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.scores = []
        self.labels = []

    def validation_step(self, batch, index):
        self.scores.append(self(batch["x"]).cpu())  # expect: DP279
        self.labels.append(batch["y"].cpu())

    def on_validation_epoch_end(self):
        self.log("hits", (torch.cat(self.scores) == torch.cat(self.labels)).float().mean())
        self.labels.clear()


class Collected:
    def __init__(self):
        self.found = []

    def add(self, scores):
        self.found.append(scores.cpu())  # expect: DP279

    def mean(self):
        return torch.cat(self.found).mean()


class Held(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.collected = Collected()

    def share(self, batch):
        self.collected.add(self(batch))

    def validation_step(self, batch, index):
        self.share(batch)

    def on_validation_epoch_end(self):
        self.log("mean", self.collected.mean())


class Fresh:
    def __init__(self):
        self.parts = []

    def add(self, scores):
        self.parts.append(scores.cpu())

    def mean(self):
        return torch.cat(self.parts).mean()


class MadeForEachEpoch(pl.LightningModule):
    def on_validation_epoch_start(self):
        self.fresh = Fresh()

    def validation_step(self, batch, index):
        self.fresh.add(self(batch))

    def on_validation_epoch_end(self):
        self.log("mean", self.fresh.mean())


class Replaced(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.outputs = []

    def on_validation_epoch_start(self):
        self.outputs = []

    def validation_step(self, batch, index):
        self.outputs.append(self(batch).cpu())

    def on_validation_epoch_end(self):
        self.log("mean", torch.cat(self.outputs).mean())


class History(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.means = []

    def on_validation_epoch_end(self):
        self.means.append(1.0)
