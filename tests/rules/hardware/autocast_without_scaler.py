import torch
from torch.cuda.amp import autocast


def fires(model, loader, optimizer, criterion):
    for x, y in loader:
        optimizer.zero_grad()
        with autocast():  # hint: DP302  # expect: DP501
            loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()


def fires_too(model, loader, optimizer, criterion, args):
    for x, y in loader:
        with torch.autocast(device_type="cuda", dtype=torch.float16):  # expect: DP501
            loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        with torch.amp.autocast("cuda", enabled=args.amp):  # expect: DP501
            loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def silent(model, loader, optimizer, criterion, device):
    for x, y in loader:
        with torch.autocast(device):
            loss = criterion(model(x), y)
        with torch.autocast("cpu"):
            loss += criterion(model(x), y)
        with autocast(enabled=False):  # hint: DP302
            loss += criterion(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def other_type(model, loader, optimizer, criterion, kind):
    for x, y in loader:
        with torch.autocast("cuda", dtype=kind):
            loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def evaluate(model, loader):
    with torch.no_grad():
        for x in loader:
            with autocast():  # hint: DP302
                print(model(x))
