import torch
import torch.nn as nn
import torch.nn.functional as F

net = nn.Linear(3, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()


def fires(loader, scaler, history):
    total = 0
    weighted = 0
    losses = []
    outputs = []
    parts = 0
    other = 0
    for x, y in loader:
        optimizer.zero_grad()
        out = net(x)
        first = criterion(out, y)
        second = F.mse_loss(out, y)
        loss = first + second
        scaler.scale(loss).backward()
        optimizer.step()  # hint: DP866
        total += loss  # expect: DP230
        weighted += loss * x.size(0)  # expect: DP230
        losses.append(loss)  # expect: DP230
        outputs.append(out)  # expect: DP230
        parts += first  # expect: DP230
        other = other + second  # expect: DP230
        history["loss"] += loss  # expect: DP230
    return total, weighted, losses, outputs, parts, other


def unknown_model(model, loader, opt, loss_fn):
    running = 0.0
    for x, y in loader:
        loss = loss_fn(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        running += loss  # expect: DP230
    return running / len(loader)


def step(x, y):
    loss = criterion(net(x), y)
    loss.backward()
    optimizer.step()
    return loss


def through_a_call(loader):
    total = 0
    for x, y in loader:
        loss = step(x, y)
        total += loss  # expect: DP230
    return total


class Trainer:
    def __init__(self):
        self.total = 0
        self.net = nn.Linear(3, 3)

    def step(self, x, y):
        loss = criterion(self.net(x), y)
        loss.backward()
        optimizer.step()
        self.total += loss  # expect: DP230

    def fit(self, loader):
        for x, y in loader:
            self.step(x, y)


def silent(loader, scheduler):
    total = 0
    number = 0
    losses = []
    for x, y in loader:
        optimizer.zero_grad()
        out = net(x)
        loss = criterion(out, y)
        loss += 0.1 * out.abs().sum()
        loss.backward()
        optimizer.step()
        total += loss.item()
        total += float(loss)
        total += loss.detach()
        total += loss.data
        losses.append(loss.item())
        losses.append(loss.detach().cpu())
        value = loss.item()
        total += value
        loss = loss.item()
        number += loss
        total += out.argmax(1)
        with torch.no_grad():
            total += criterion(net(x), y)
    return total, number, losses


def accumulated(loader, heads):
    for x, y in loader:
        total = 0
        parts = []
        for head in heads:
            loss = criterion(head(net(x)), y)
            total += loss
            parts.append(loss)
        total = total + sum(parts)
        total.backward()
        optimizer.step()
        optimizer.zero_grad()


def several_steps(loader):
    total = 0
    for i, (x, y) in enumerate(loader):
        loss = criterion(net(x), y)
        total += loss
        if i % 4 == 0:
            total.backward()
            optimizer.step()
            optimizer.zero_grad()
            total = 0


def per_turn(loader):
    for x, y in loader:
        shown = 0
        out = net(x)
        loss = criterion(out, y)
        loss.backward()
        shown += loss
        print(shown)


def policy(env, episodes):
    for _ in range(episodes):
        log_probs = []
        state = env.reset()
        for _ in range(1000):
            probs = net(state)
            log_probs.append(torch.log(probs))
            state = env.act(probs)
        loss = -torch.cat(log_probs).sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def evaluation(loader):
    total = 0
    with torch.no_grad():
        for x, y in loader:
            total += criterion(net(x), y)
    return total
