import torch
from torch import nn

ROWS = 50_000


class Bank(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.register_buffer("keys", torch.zeros(ROWS, width))
        self.values = torch.zeros(ROWS, width)
        self.counts = torch.zeros(8)
        self.shown = torch.zeros(ROWS)

    @torch.no_grad()
    def update(self, index, features):
        self.keys = self.keys.index_copy(0, index, features)  # expect: DP471
        self.values = torch.index_copy(self.values, 0, index, features)  # expect: DP471
        self.counts = self.counts.index_add(0, index, features[0])  # hint: DP471
        self.shown = self.shown.index_fill(0, index, 1.0)

    def seen(self):
        return self.shown


class Trainer:
    def __init__(self, model, width):
        self.model = model
        self.bank = Bank(width)
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def fit(self, loader):
        for index, x in loader:
            features = self.model(x)
            loss = (features @ self.bank.keys.t()).logsumexp(1).mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.bank.update(index, features)


@torch.no_grad()
def simulate(model, steps, index):
    field = torch.zeros(1024, 1024)
    for i in range(steps):
        field = field.clone()  # expect: DP471
        field[i] = model(index + i)
    return field


def without_graph(steps, rows, values):
    table = torch.zeros(4096, 64)
    index = torch.arange(16)
    new = torch.ones(16, 64)
    for i in range(steps):
        table = table.index_copy(0, index, new)  # expect: DP471
    return table


# ---- Silent


@torch.no_grad()
def in_place(model, steps, index):
    field = torch.zeros(1024, 1024)
    for i in range(steps):
        field[i] = model(index + i)
        field.index_fill_(0, index, 0.0)
    return field


@torch.no_grad()
def history(model, steps, index):
    field = torch.zeros(1024, 1024)
    states = []
    for i in range(steps):
        field = field.index_fill(0, index, 0.0)
        states.append(field)
    return states


def with_graph(model, steps, index, x):
    memory = torch.zeros(1024, 64)
    for i in range(steps):
        memory = memory.index_copy(0, index, model(x + i))
    return memory.sum()


@torch.no_grad()
def once(index, features):
    table = torch.zeros(4096, 64)
    table = table.index_copy(0, index, features)
    return table


@torch.no_grad()
def another_name(model, steps, index):
    start = torch.zeros(1024, 1024)
    for i in range(steps):
        work = start.clone()
        work[i] = model(index + i)
    return work


@torch.no_grad()
def scaled(x):
    x = x.clone()
    x[:, 0] /= 255.0
    return x


def scale_all(model, batches):
    for batch in batches:
        yield model(scaled(batch))


class Table:
    def __init__(self):
        self.rows = torch.zeros(ROWS, 8)
        self.other = torch.zeros(ROWS, 8)

    def write(self, index, values):
        rows = self.rows.clone()  # expect: DP471
        rows[index] = values
        self.rows = rows

    def changed(self, index, values):
        other = self.other.clone()
        other[index] = values
        return other


@torch.no_grad()
def fill(batches):
    table = Table()
    total = 0
    for index, values in batches:
        table.write(index, values)
        total += table.changed(index, values).sum()
    return table, total


def keep(states, field):
    states.append(field)


@torch.no_grad()
def kept_by_helper(steps, index):
    field = torch.zeros(1024, 1024)
    states = []
    for i in range(steps):
        field = field.index_fill(0, index, 0.0)
        keep(states, field)
    return states
