# A generator that starts the loader again and again.
import os

import torch
from torch.utils.data import DataLoader


def cycle(loader):
    while True:
        for batch in loader:  # expect: DP147
            yield batch


def again(loader):
    while True:
        for batch in loader:
            yield batch


def watch(loader, model):
    while True:
        for batch in loader:  # hint: DP147
            print(model(batch).argmax())  # expect: DP232


def train(dataset, model, optimizer, steps):
    batches = cycle(DataLoader(dataset, batch_size=8, shuffle=True, num_workers=os.cpu_count()))
    kept = again(DataLoader(dataset, batch_size=8, shuffle=True, num_workers=4, persistent_workers=True))
    for _ in range(steps):
        loss = model(next(batches)).mean() + model(next(kept)).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    watch(DataLoader(dataset, batch_size=8, num_workers=4), model)
