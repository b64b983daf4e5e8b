from accelerate import Accelerator


class Loop:
    def __init__(self, model, optimizer, loader):
        self.accelerator = Accelerator(mixed_precision="fp16")
        self.model, self.optimizer, self.loader = self.accelerator.prepare(model, optimizer, loader)

    def epoch(self):
        for batch in self.loader:
            loss = self.model(**batch).loss
            loss.backward()  # expect: DP879
            self.optimizer.step()
            self.optimizer.zero_grad()


class Right:
    def __init__(self, model, optimizer, loader):
        self.accelerator = Accelerator(mixed_precision="fp16")
        self.model, self.optimizer, self.loader = self.accelerator.prepare(model, optimizer, loader)

    def epoch(self):
        for batch in self.loader:
            self.accelerator.backward(self.model(**batch).loss)
            self.optimizer.step()
            self.optimizer.zero_grad()
