import time

import torch


def fires(model, optimizer, train_loader):
    for x in train_loader:
        model(x).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        torch.cuda.synchronize()  # hint: DP135


def evaluation(model, val_loader, device):
    with torch.no_grad():
        for x in val_loader:
            model(x)
            torch.cuda.synchronize(device)  # hint: DP135


def timed(model, optimizer, train_loader):
    for x in train_loader:
        start = time.time()
        model(x).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        torch.cuda.synchronize()
        print(time.time() - start)


def events(model, val_loader):
    start = torch.cuda.Event(enable_timing=True)
    for x in val_loader:
        start.record()
        model(x)
        torch.cuda.synchronize()


def silent(model, train_loader, epochs, optimizer):
    torch.cuda.synchronize()
    for epoch in range(epochs):
        for i, x in enumerate(train_loader):
            model(x).mean().backward()
            optimizer.step()
            optimizer.zero_grad()
            if i % 100 == 0:
                torch.cuda.synchronize()
        torch.cuda.synchronize()
