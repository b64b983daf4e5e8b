import torch
from torch import nn

model = nn.Linear(10, 1)
generator = nn.Linear(10, 10)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)  # expect: DP875
criterion = nn.MSELoss()


def fires(loader):
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()  # expect: DP233
        optimizer.step()


def carried_state(rnn: nn.LSTM, loader, h):
    for x, y in loader:
        out, h = rnn(x, h)  # hint: DP231
        loss = criterion(out, y)
        optimizer.zero_grad()
        loss.backward(None)  # expect: DP233
        optimizer.step()


def unknown_model(net, loader, mode):
    for x, y in loader:
        loss = net.loss(x, y)
        if mode == "train":
            optimizer.zero_grad()
            loss.backward()  # expect: DP233
            optimizer.step()


class Trainer:
    def __init__(self):
        self.model = nn.Linear(3, 3)
        self.optimizer = torch.optim.Adam(self.model.parameters())

    def step(self, x, y):
        loss = criterion(self.model(x), y)
        self.optimizer.zero_grad()
        loss.backward()  # expect: DP233
        self.optimizer.step()

    def fit(self, loader):
        for x, y in loader:
            self.step(x, y)

    def first(self, x, y):
        loss = criterion(self.model(x), y)
        loss.backward(retain_graph=True)
        return loss


def two_walks(loader):
    for x, y in loader:
        fake = generator(x)
        d_loss = criterion(model(fake), y)
        d_loss.backward(retain_graph=True)
        g_loss = -model(fake).mean()
        g_loss.backward()


def with_gradient_penalty(loader):
    for x, y in loader:
        loss = criterion(model(x), y)
        loss.backward(retain_graph=True)
        grads = torch.autograd.grad(loss, [x])
        print(grads)


def one_graph_many_outputs(x, classes):
    out = model(x)
    rows = []
    for i in range(classes):
        out[:, i].sum().backward(retain_graph=True)
        rows.append(x.grad.clone())
    return rows


def over_losses(losses):
    for loss in losses:
        loss.backward(retain_graph=True)


def once(x, y):
    loss = criterion(model(x), y)
    loss.backward(retain_graph=True)


def configured(loader, keep):
    for x, y in loader:
        loss = criterion(model(x), y)
        loss.backward(retain_graph=keep)
        loss.backward(retain_graph=False)


def higher_order(loader):
    for x, y in loader:
        loss = criterion(model(x), y)
        loss.backward(create_graph=True, retain_graph=True)


def walk_again(loss):
    loss.backward()


def through_a_call(loader):
    for x, y in loader:
        loss = criterion(model(x), y)
        loss.backward(retain_graph=True)
        walk_again(loss)
