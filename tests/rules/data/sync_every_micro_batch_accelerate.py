import torch
from accelerate import Accelerator


class Trainer:
    def __init__(self, model: torch.nn.Module, data, every: int):
        self.accelerator = Accelerator()
        self.model, self.data = self.accelerator.prepare(model, data)
        self.optimizer = torch.optim.Adam(model.parameters())
        self.every = every

    def exchanged(self, steps: int):
        for _ in range(steps):
            for _ in range(self.every):
                loss = self.model(next(self.data)) / self.every
                self.accelerator.backward(loss)  # expect: DP440
            self.optimizer.step()
            self.optimizer.zero_grad()

    def kept_back(self, steps: int):
        for _ in range(steps):
            for _ in range(self.every):
                with self.accelerator.accumulate(self.model):
                    loss = self.model(next(self.data)) / self.every
                    self.accelerator.backward(loss)
            self.optimizer.step()
            self.optimizer.zero_grad()

    def each(self, steps: int):
        for _ in range(steps):
            loss = self.model(next(self.data))
            self.accelerator.backward(loss)
            self.optimizer.step()
            self.optimizer.zero_grad()
