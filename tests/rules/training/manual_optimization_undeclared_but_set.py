import lightning as L


class Base(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False


class Derived(Base):
    def training_step(self, batch, index):
        self.manual_backward(self(batch).mean())


class ByClass(L.LightningModule):
    automatic_optimization = False

    def training_step(self, batch, index):
        self.manual_backward(self(batch).mean())
