import torch
import torch.nn.functional as F
from torch.optim.lr_scheduler import CosineAnnealingLR, OneCycleLR


class Callback:
    def on_fit_start(self, trainer):
        pass

    def on_batch_end(self, trainer):
        pass

    def on_epoch_end(self, trainer):
        pass


class PerEpoch(Callback):
    def on_fit_start(self, trainer):
        self.schedule = OneCycleLR(trainer.opt, 0.1, total_steps=trainer.epochs * len(trainer.loader))

    def on_epoch_end(self, trainer):
        self.schedule.step()  # expect: DP912


class PerBatch(Callback):
    def on_fit_start(self, trainer):
        self.schedule = OneCycleLR(trainer.opt, 0.1, total_steps=trainer.epochs * len(trainer.loader))

    def on_batch_end(self, trainer):
        self.schedule.step()


class InEpochs(Callback):
    def on_fit_start(self, trainer):
        self.schedule = CosineAnnealingLR(trainer.opt, trainer.epochs)

    def on_epoch_end(self, trainer):
        self.schedule.step()


class Trainer:
    def __init__(self, net, loader, epochs, callbacks):
        self.net, self.loader, self.epochs, self.callbacks = net, loader, epochs, callbacks
        self.opt = torch.optim.SGD(net.parameters(), lr=0.1)

    def emit(self, event, *args):
        for callback in self.callbacks:
            getattr(callback, f"on_{event}")(self, *args)

    def step(self, x, y):
        self.opt.zero_grad()
        F.cross_entropy(self.net(x), y).backward()
        self.opt.step()

    def fit(self):
        self.emit("fit_start")
        for epoch in range(self.epochs):
            for x, y in self.loader:
                self.step(x, y)
                self.emit("batch_end")
            self.emit("epoch_end")


class Plain:
    def __init__(self, net, loader, epochs):
        self.net, self.loader, self.epochs = net, loader, epochs
        self.opt = torch.optim.SGD(net.parameters(), lr=0.1)
        self.cosine = CosineAnnealingLR(self.opt, T_max=epochs * len(loader))

    def step(self, x, y):
        self.opt.zero_grad()
        F.cross_entropy(self.net(x), y).backward()
        self.opt.step()

    def end_epoch(self):
        self.cosine.step()  # expect: DP912

    def fit(self):
        for epoch in range(self.epochs):
            for x, y in self.loader:
                self.step(x, y)
            self.end_epoch()
