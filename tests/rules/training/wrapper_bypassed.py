import torch
from accelerate import Accelerator
from torch.nn.parallel import DistributedDataParallel as DDP


def train(net, loader, rank):
    model = DDP(net, device_ids=[rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model.module(x), y)  # expect: DP884
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        return model.module(x)


def train_forward(net, loader, rank):
    model = DDP(net, device_ids=[rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model.module.forward(x), y)  # expect: DP884
        loss.backward()
        optimizer.step()


def train_prepared(model, optimizer, loader):
    accelerator = Accelerator()
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for x in loader:
        optimizer.zero_grad()
        accelerator.backward(accelerator.unwrap_model(model)(x).mean())  # expect: DP884
        optimizer.step()
    return accelerator.unwrap_model(model).state_dict()


def right(net, loader, rank):
    model = DDP(net, device_ids=[rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        with torch.no_grad():
            model.module.count(x)
