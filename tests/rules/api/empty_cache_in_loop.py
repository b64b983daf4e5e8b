import gc
import torch


def fires(model, optimizer, train_loader):
    for x in train_loader:
        loss = model(x).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        torch.cuda.empty_cache()  # expect: DP134


@torch.no_grad()
def evaluation(model, val_loader):
    for i, (x, y) in enumerate(val_loader):
        model(x.cuda())
        torch.cuda.empty_cache()  # hint: DP134


def step(model, optimizer, x):
    loss = model(x).mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    torch.cuda.empty_cache()  # expect: DP134


def run(model, optimizer, data):
    for x in data:
        step(model, optimizer, x)


def silent(model, optimizer, train_loader, epochs, names):
    for epoch in range(epochs):
        for i, x in enumerate(train_loader):
            try:
                loss = model(x).mean()
                loss.backward()
                optimizer.step()
                optimizer.zero_grad()
            except RuntimeError:
                torch.cuda.empty_cache()
            if i % 100 == 0:
                torch.cuda.empty_cache()
            if i % 10:
                continue
            torch.cuda.empty_cache()
        torch.cuda.empty_cache()
    torch.cuda.empty_cache()
    for name in names:
        build(name)
        torch.cuda.empty_cache()  # hint: DP134


def build(name):
    return name


def collects(model, optimizer, train_loader):
    for x in train_loader:
        optimizer.zero_grad()
        model(x).mean().backward()
        optimizer.step()
        gc.collect()  # expect: DP134


def collects_seldom(model, optimizer, train_loader, epochs):
    for epoch in range(epochs):
        for i, x in enumerate(train_loader):
            optimizer.zero_grad()
            model(x).mean().backward()
            optimizer.step()
            if i % 1000 == 0:
                gc.collect()
        gc.collect()


def compresses(files):
    for file in files:
        tensors = torch.load(file, weights_only=True, map_location="cpu")
        for name in tensors:
            tensors[name] = tensors[name].half()
            gc.collect()
            torch.cuda.empty_cache()  # expect: DP134


class Buffers:
    def __init__(self, groups):
        self.allocate(groups)

    def allocate(self, groups):
        self.data = [torch.zeros(group, device="cuda") for group in groups]
        gc.collect()
        torch.cuda.empty_cache()


def trains_with_buffers(model, optimizer, train_loader):
    for x in train_loader:
        buffers = Buffers([8, 8])
        loss = model(x).mean() + buffers.data[0].sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
