import torch
from torch.utils.data import DataLoader, Subset


def fires(model, images, epochs, steps):
    for epoch in range(epochs):
        loader = DataLoader(images, batch_size=64, shuffle=True, num_workers=4)  # expect: DP131
        for x in loader:
            model(x)
    once = DataLoader(images, batch_size=64, num_workers=4)
    for step in range(steps):
        x, y = next(iter(once))  # expect: DP131
        model(x)


def parameter(model, train_loader, steps):
    step = 0
    while step < steps:
        model(next(iter(train_loader)))  # expect: DP131
        step += 1


def silent(model, images, folds, epochs, steps, parts, args, build):
    for train, test in folds:
        loader = DataLoader(Subset(images, train), batch_size=64, num_workers=4)
        model(loader)
    for size in (8, 16, 32):
        model(DataLoader(images, batch_size=size, num_workers=4))
    for epoch in range(epochs):
        model(DataLoader(images, batch_size=64 + epoch, num_workers=4))
        model(DataLoader(build(epoch), batch_size=64, num_workers=4))
        made = build()
        model(DataLoader(made, batch_size=64, num_workers=4))
    for epoch in range(epochs):
        if epoch == 3:
            loader = DataLoader(images, batch_size=64, num_workers=4)
    loader = DataLoader(images, batch_size=64, num_workers=4)
    x = next(iter(loader))
    iterator = iter(loader)
    for step in range(steps):
        try:
            x = next(iterator)
        except StopIteration:
            iterator = iter(loader)
            x = next(iterator)
        model(x)
    for part in parts:
        x = next(iter(part))
        y = next(iter(args.items()))
    for part_loader in parts:
        x = next(iter(part_loader))
    for i in range(3):
        x = next(iter(loader))
    for epoch in range(epochs):
        for x in DataLoader([epoch], batch_size=64):
            model(x)
