import torch
import torch.nn as nn

optimizer = torch.optim.SGD([torch.zeros(1)], lr=0.1)
criterion = nn.MSELoss()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(3, 3)

    def forward(self, x, hidden):
        out, hidden = self.rnn(x, hidden)
        return out, hidden


class Cutting(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(3, 3)

    def forward(self, x, hidden):
        out, hidden = self.rnn(x, hidden)
        return out, hidden.detach()


def fires(rnn: nn.LSTM, loader, hidden):
    for x, y in loader:
        optimizer.zero_grad()
        out, hidden = rnn(x, hidden)  # hint: DP231
        loss = criterion(out, y)
        loss.backward(retain_graph=True)  # expect: DP233
        optimizer.step()


def stops_in_the_second_turn(loader, hidden):
    net = Net()
    for x, y in loader:
        out, hidden = net(x, hidden)  # hint: DP231
        loss = criterion(out, y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def detached(rnn: nn.LSTM, loader, h, c):
    for x, y in loader:
        h, c = h.detach(), c.detach()
        out, (h, c) = rnn(x, (h, c))
        loss = criterion(out, y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def detached_after(rnn: nn.GRU, loader, hidden):
    for x, y in loader:
        out, hidden = rnn(x, hidden)
        loss = criterion(out, y)
        loss.backward()
        hidden.detach_()
        optimizer.step()
        optimizer.zero_grad()


def made_anew(rnn: nn.GRU, loader):
    for x, y in loader:
        hidden = torch.zeros(1, 3)
        out, hidden = rnn(x, hidden)
        loss = criterion(out, y)
        loss.backward(retain_graph=True)  # expect: DP233
        optimizer.step()
        optimizer.zero_grad()


def over_time(rnn: nn.GRU, loader, hidden):
    for x, y in loader:
        hidden = hidden.data
        for t in range(100):
            out, hidden = rnn(x[t], hidden)
        loss = criterion(out, y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def cut_by_the_model(loader, hidden):
    net = Cutting()
    for x, y in loader:
        out, hidden = net(x, hidden)
        loss = criterion(out, y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
