import logging

import torch
import torch.nn as nn

model = nn.Linear(8, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()


def train(batches):
    for x, y in batches:
        try:
            optimizer.zero_grad()
            criterion(model(x), y).backward()
            optimizer.step()
        except Exception:  # expect: DP832
            continue


def step(x, y):
    optimizer.zero_grad()
    criterion(model(x), y).backward()
    optimizer.step()


def by_function(batches):
    for x, y in batches:
        try:
            step(x, y)
        except:  # expect: DP832
            pass


def logged(batches):
    for x, y in batches:
        try:
            step(x, y)
        except Exception:
            logging.exception("a step failed")


def expected(batches):
    for x, y in batches:
        try:
            step(x, y)
        except torch.cuda.OutOfMemoryError:
            continue


def reading(paths):
    for path in paths:
        try:
            x = torch.load(path, weights_only=True)
        except Exception:
            continue
        step(x, x)
