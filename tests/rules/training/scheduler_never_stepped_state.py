"""A schedule in a field of an object."""
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from transformers import get_cosine_schedule_with_warmup


@dataclass
class State:
    model: Any
    optimizer: Any
    schedule: Any
    step: int = 0


@dataclass
class Stepped:
    optimizer: Any
    plan: Any


def create(model, steps):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    schedule = get_cosine_schedule_with_warmup(optimizer, 100, steps)  # expect: DP920
    return State(model, optimizer, schedule)


def create_by_name(model, steps):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    cosine = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=steps)  # expect: DP920
    return State(model=model, optimizer=optimizer, schedule=cosine)


def create_stepped(model, steps):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    plan = get_cosine_schedule_with_warmup(optimizer, 100, steps)
    return Stepped(optimizer, plan)


def update(state, x, y):
    nn.functional.cross_entropy(state.model(x), y).backward()
    state.optimizer.step()
    state.optimizer.zero_grad(set_to_none=True)
    state.step += 1


def update_stepped(model, state, x, y):
    nn.functional.cross_entropy(model(x), y).backward()
    state.optimizer.step()
    state.plan.step()
    state.optimizer.zero_grad(set_to_none=True)


def train(model, batches, steps):
    state = create(model, steps)
    other = create_by_name(model, steps)
    stepped = create_stepped(model, steps)
    for x, y in batches:
        update(state, x, y)
        update(other, x, y)
        update_stepped(model, stepped, x, y)
