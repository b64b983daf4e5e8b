import torch
import torch.nn as nn

model = nn.Linear(8, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()


def train(batches):
    for i, (x, y) in enumerate(batches):
        loss = criterion(model(x), y)
        loss.backward()  # expect: DP830
        if (i + 1) % 8 == 0:
            optimizer.step()
            optimizer.zero_grad()


def by_setting(batches, args):
    scaler = torch.amp.GradScaler("cuda")
    for i, (x, y) in enumerate(batches):
        loss = criterion(model(x), y)
        scaler.scale(loss).backward()  # hint: DP830
        if i % args.accumulate == 0:  # expect: DP878
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()


def divided(batches, n):
    for i, (x, y) in enumerate(batches):
        loss = criterion(model(x), y) / n
        loss.backward()
        if (i + 1) % n == 0:
            optimizer.step()
            optimizer.zero_grad()


def divided_in_place(batches, n):
    for i, (x, y) in enumerate(batches):
        loss = criterion(model(x), y)
        loss /= n
        loss.backward()
        if (i + 1) % n == 0:
            optimizer.step()
            optimizer.zero_grad()


def every_step(batches):
    for i, (x, y) in enumerate(batches):
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if i % 100 == 0:
            print(i)


def two_optimizers(batches, other):
    seldom = torch.optim.Adam(other.parameters())
    for i, (x, y) in enumerate(batches):
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        if i % 5 == 0:
            seldom.zero_grad()
            criterion(other(x), y).backward()
            seldom.step()


def both_seldom(batches):
    for i, (x, y) in enumerate(batches):
        if i % 2 == 0:
            optimizer.zero_grad()
            criterion(model(x), y).backward()
            optimizer.step()


def with_auxiliary(model, loader, optimizer: torch.optim.Optimizer, steps: int):
    optimizer.zero_grad()
    for i, (x, y) in enumerate(loader):
        out, aux = model(x)
        loss = torch.nn.functional.cross_entropy(out, y)
        loss = loss + 0.4 * torch.nn.functional.cross_entropy(aux, y)
        loss.backward()  # expect: DP830
        if (i + 1) % steps == 0:
            optimizer.step()
            optimizer.zero_grad()
