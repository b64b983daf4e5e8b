import torch


def under_no_grad(model: torch.nn.Module, loader, optimizer: torch.optim.Optimizer):
    criterion = torch.nn.CrossEntropyLoss()
    for x, y in loader:
        optimizer.zero_grad()
        with torch.no_grad():
            out = model(x)
        loss = criterion(out, y)
        loss.backward()  # expect: DP269
        optimizer.step()


# The graph begins behind the fixed part.
def head_only(backbone: torch.nn.Module, head: torch.nn.Module, loader, optimizer: torch.optim.Optimizer):
    criterion = torch.nn.CrossEntropyLoss()
    for x, y in loader:
        optimizer.zero_grad()
        with torch.no_grad():
            features = backbone(x)
        loss = criterion(head(features), y)
        loss.backward()
        optimizer.step()


# The gradient of an input, which is asked for.
def of_input(model: torch.nn.Module, x, y):
    with torch.no_grad():
        out = model(x)
    out.requires_grad_()
    loss = torch.nn.functional.cross_entropy(out, y)
    loss.backward()
    return out.grad


# A target without a graph is what a loss needs.
def distilled(student: torch.nn.Module, teacher: torch.nn.Module, loader, optimizer: torch.optim.Optimizer):
    criterion = torch.nn.MSELoss()
    for x, _ in loader:
        optimizer.zero_grad()
        with torch.no_grad():
            wanted = teacher(x)
        loss = criterion(wanted, student(x))
        loss.backward()
        optimizer.step()
