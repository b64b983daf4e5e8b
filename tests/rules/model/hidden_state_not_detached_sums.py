import torch


def running(model: torch.nn.Module, loader, optimizer: torch.optim.Optimizer):
    memory = torch.zeros(64, 10)
    for x, y in loader:
        optimizer.zero_grad()
        memory = 0.9 * memory + model(x)  # expect: DP231
        loss = torch.nn.functional.cross_entropy(memory, y)
        loss.backward()
        optimizer.step()


def detached(model: torch.nn.Module, loader, optimizer: torch.optim.Optimizer):
    memory = torch.zeros(64, 10)
    for x, y in loader:
        optimizer.zero_grad()
        memory = 0.9 * memory.detach() + model(x)
        loss = torch.nn.functional.cross_entropy(memory, y)
        loss.backward()
        optimizer.step()


def detached_after(model: torch.nn.Module, loader, optimizer: torch.optim.Optimizer):
    memory = torch.zeros(64, 10)
    for x, y in loader:
        optimizer.zero_grad()
        memory = 0.9 * memory + model(x)
        loss = torch.nn.functional.cross_entropy(memory, y)
        loss.backward()
        optimizer.step()
        memory = memory.detach()


# No backward pass goes through what is only watched.
def watched(model: torch.nn.Module, loader, optimizer: torch.optim.Optimizer):
    average = torch.zeros(())
    for x, y in loader:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        average = 0.9 * average + 0.1 * loss.detach()
    return average


# Several parts of one batch, and one backward pass for all of them.
def parts(model: torch.nn.Module, batches, optimizer: torch.optim.Optimizer):
    for batch in batches:
        optimizer.zero_grad()
        total = torch.zeros(())
        for x, y in batch:
            total = total + torch.nn.functional.cross_entropy(model(x), y)
        total.backward()
        optimizer.step()
