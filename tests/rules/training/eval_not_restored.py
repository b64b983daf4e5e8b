import torch


def evaluate(model, loader):
    model.eval()  # expect: DP806
    with torch.no_grad():
        return sum(model(x).sum() for x in loader)


def fires(model, optimizer, loader, test_loader, criterion):
    model.train()
    for epoch in range(100):
        for x, y in loader:
            optimizer.zero_grad()
            criterion(model(x), y).backward()
            optimizer.step()
        model.eval()  # expect: DP806
        with torch.no_grad():
            print(sum(model(x).sum() for x in test_loader))


def fires_in_callee(model, optimizer, loader, test_loader, criterion):
    model.train()
    for epoch in range(100):
        for x, y in loader:
            optimizer.zero_grad()
            criterion(model(x), y).backward()
            optimizer.step()
        evaluate(model, test_loader)


def restored(model, optimizer, loader, test_loader, criterion):
    for epoch in range(100):
        model.train()
        for x, y in loader:
            optimizer.zero_grad()
            criterion(model(x), y).backward()
            optimizer.step()
        model.eval()


def restored_with_flag(model, optimizer, loader, criterion):
    for epoch in range(100):
        for x, y in loader:
            optimizer.zero_grad()
            criterion(model(x), y).backward()
            optimizer.step()
        model.eval()
        model.train(True)


def frozen(model, teacher, optimizer, loader, criterion):
    for x, y in loader:
        teacher.eval()
        optimizer.zero_grad()
        criterion(model(x), teacher(x)).backward()
        optimizer.step()


def before(model, optimizer, loader, criterion):
    model.eval()
    for x, y in loader:
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        optimizer.step()


def probe_epoch(model, optimizer, loader):
    model.eval()
    for x in loader:
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()


def validate(model, loader):
    model.eval()
    return sum(model(x).sum() for x in loader)


def on_purpose(model, optimizer, loader):
    for epoch in range(100):
        probe_epoch(model, optimizer, loader)
        validate(model, loader)
    for x in loader:
        model.eval()
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()


def only_evaluates(model, loader):
    for x in loader:
        model.eval()
        model(x)


def unseen(model, optimizer, loader, criterion, library):
    for epoch in range(100):
        library.begin(model)
        for x, y in loader:
            optimizer.zero_grad()
            criterion(model(x), y).backward()
            optimizer.step()
        model.eval()
