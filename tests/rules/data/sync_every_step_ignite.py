# What a process function returns at its end is read by Ignite's handlers in any case.
import torch
from ignite.engine import Engine


def make_trainer(model: torch.nn.Module, optimizer: torch.optim.Optimizer, device):
    def process(engine, batch):
        model.train()
        loss = model(batch.to(device)).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return {"loss": loss.item()}  # hint: DP402

    return Engine(process)


def make_waiting(model: torch.nn.Module, optimizer: torch.optim.Optimizer, device):
    def process(engine, batch):
        model.train()
        loss = model(batch.to(device)).sum()
        value = loss.item()  # expect: DP402
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return value

    return Engine(process)
