"""Gradient accumulation by hand under Accelerate."""

from accelerate import Accelerator
import torch
from torch import nn
from torch.utils.data import DataLoader


class Loop:
    def __init__(self, data, args):
        self.args = args
        self.accelerator = Accelerator()
        model = nn.Linear(8, 1)
        loader = DataLoader(data, batch_size=4, shuffle=True, num_workers=2, persistent_workers=True, pin_memory=True)
        optimizer = torch.optim.AdamW(model.parameters())
        self.model, self.optimizer, self.loader = self.accelerator.prepare(model, optimizer, loader)

    def is_last(self, i):
        return (i + 1) % self.args.accumulate == 0 or i + 1 == len(self.loader)

    def update(self):
        self.optimizer.step()
        self.optimizer.zero_grad()

    def by_continue(self):
        for i, batch in enumerate(self.loader):
            loss = self.model(batch).mean()
            self.accelerator.backward(loss / self.args.accumulate)  # expect: DP440
            if not self.is_last(i):
                continue
            self.update()

    def by_test(self):
        for i, batch in enumerate(self.loader):
            loss = self.model(batch).mean() / self.args.accumulate
            self.accelerator.backward(loss)  # expect: DP440
            if (i + 1) % self.args.accumulate == 0:
                self.optimizer.step()
                self.optimizer.zero_grad()

    def backward(self, batch):
        loss = self.model(batch).mean() / self.args.accumulate
        self.accelerator.backward(loss)  # expect: DP440
        return loss

    def by_helpers(self):
        for i, batch in enumerate(self.loader):
            self.backward(batch)
            if self.is_last(i):
                self.update()

    def every_step(self):
        for i, batch in enumerate(self.loader):
            loss = self.model(batch).mean()
            self.accelerator.backward(loss)
            self.update()
            if (i + 1) % 100 == 0:
                print(i)

    def logged_after_helper(self):
        for i, batch in enumerate(self.loader):
            loss = self.model(batch).mean()
            self.accelerator.backward(loss)
            self.update()
            if i % 100 != 0:
                continue
            print(i)

    def logged(self):
        for i, batch in enumerate(self.loader):
            loss = self.model(batch).mean()
            self.accelerator.backward(loss)
            self.optimizer.step()
            self.optimizer.zero_grad()
            if i % 100 != 0:
                continue
            print(i)


def by_argument(data, steps):
    accelerator = Accelerator(gradient_accumulation_steps=8)  # hint: DP831
    model = nn.Linear(8, 1)
    optimizer = torch.optim.AdamW(model.parameters())
    model, optimizer, data = accelerator.prepare(model, optimizer, data)
    for i, batch in enumerate(data):
        accelerator.backward(model(batch).mean() / steps)
        if (i + 1) % steps == 0:
            optimizer.step()
            optimizer.zero_grad()
