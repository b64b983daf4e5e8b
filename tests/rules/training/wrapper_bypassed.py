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


def unwrap(model):
    return model.module if isinstance(model, DDP) else model


def unwrapped_by_function(net, loader, rank):
    model = DDP(net, device_ids=[rank])
    inner = unwrap(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(inner(x), y).backward()  # expect: DP884
        optimizer.step()
        inner.scale.data.clamp_(max=4.0)
    inner.eval()
    with torch.no_grad():
        for x, y in loader:
            print(inner(x))


def under_a_name(net, loader, rank):
    model = DDP(net, device_ids=[rank])
    inner = model.module
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(inner(x), y).backward()  # expect: DP884
        optimizer.step()


def wrapped_under_another_name(loader, rank):
    net = torch.nn.Linear(4, 1).to(rank)
    ddp = DDP(net, device_ids=[rank])
    optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(net(x), y).backward()  # expect: DP884
        optimizer.step()


def wrapped_and_called(loader, rank):
    net = torch.nn.Linear(4, 1).to(rank)
    ddp = DDP(net, device_ids=[rank])
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(ddp(x), y).backward()
        optimizer.step()
    return net.state_dict()


class Worker:
    def __init__(self, net, rank):
        self.model = DDP(net, device_ids=[rank])
        self.inner = self.model.module
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def fit(self, loader):
        for x, y in loader:
            self.optimizer.zero_grad()
            loss = torch.nn.functional.mse_loss(self.inner(x), y)  # expect: DP884
            loss.backward()
            self.optimizer.step()

    def fit_right(self, loader):
        for x, y in loader:
            self.optimizer.zero_grad()
            loss = torch.nn.functional.mse_loss(self.model(x), y)
            loss.backward()
            self.optimizer.step()


def wrapped_later(net, loader, rank):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(net(x), y).backward()
        optimizer.step()
    ddp = DDP(net, device_ids=[rank])
    return ddp
