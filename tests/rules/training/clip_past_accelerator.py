import torch
from accelerate import Accelerator
from torch.nn.utils import clip_grad_norm_


def half(model, optimizer, loader):
    accelerator = Accelerator(mixed_precision="fp16")
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        optimizer.zero_grad()
        accelerator.backward(model(batch).mean())
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: DP838
        optimizer.step()


class Trainer:
    def __init__(self, model, optimizer):
        self.accelerator = Accelerator(mixed_precision="fp16")
        self.model, self.optimizer = self.accelerator.prepare(model, optimizer)

    def step(self, batch):
        self.optimizer.zero_grad()
        self.accelerator.backward(self.model(batch).mean())
        clip_grad_norm_(self.model.parameters(), max_norm=1.0)  # expect: DP838
        self.optimizer.step()


def chosen_elsewhere(model, optimizer, loader):
    accelerator = Accelerator()
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        optimizer.zero_grad()
        accelerator.backward(model(batch).mean())
        clip_grad_norm_(model.parameters(), 1.0)  # hint: DP838
        optimizer.step()


def brain(model, optimizer, loader):
    accelerator = Accelerator(mixed_precision="bf16")
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        optimizer.zero_grad()
        accelerator.backward(model(batch).mean())
        clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()


def by_accelerator(model, optimizer, loader):
    accelerator = Accelerator(mixed_precision="fp16")
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        optimizer.zero_grad()
        accelerator.backward(model(batch).mean())
        accelerator.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()


def plain(model, optimizer, loader):
    for batch in loader:
        optimizer.zero_grad()
        model(batch).mean().backward()
        clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
