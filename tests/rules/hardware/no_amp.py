import torch
from torch import nn

model = nn.Linear(4096, 4096).cuda()
small = nn.Linear(3, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def on_the_cpu(loader, criterion):
    for x, y in loader:
        print(small(x))  # hint: DP232


def train(loader, criterion):
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x.cuda()), y.cuda())  # expect: DP513
        loss.backward()
        optimizer.step()


def again(loader, criterion):
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
