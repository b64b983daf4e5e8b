import torch
import torch.nn.functional as F
from torch.autograd import Variable

model = torch.nn.Linear(8, 2)
optimizer = torch.optim.Adam(model.parameters())


def train(loader):
    for x, y in loader:
        losses = [F.cross_entropy(model(x), y), model(x).mean()]
        optimizer.zero_grad()
        loss = torch.tensor([weight * part for weight, part in zip((1.0, 0.1), losses)], requires_grad=True).sum()  # expect: DP869
        loss.backward()
        optimizer.step()


def of_one(x, y):
    loss = F.cross_entropy(model(x), y)
    copied = torch.tensor(loss, requires_grad=True)  # expect: DP869
    copied.backward()
    optimizer.step()


def of_number(x, y):
    loss = F.cross_entropy(model(x), y)  # hint: DP232
    loss = torch.tensor(loss.item(), requires_grad=True)  # expect: DP869
    loss.backward()
    optimizer.step()


def as_variable(x, y):
    loss = F.cross_entropy(model(x), y)
    loss = Variable(loss, requires_grad=True)  # expect: DP869  # hint: DP302
    loss.backward()
    optimizer.step()


def total_of(x, y):
    parts = F.cross_entropy(model(x), y)
    total = torch.tensor([parts, parts], requires_grad=True)  # expect: DP869
    return total.mean(), 3


def through_helper(x, y):
    loss, count = total_of(x, y)
    loss.backward()
    optimizer.step()


def directly(x, y):
    torch.FloatTensor([F.cross_entropy(model(x), y)]).sum().backward()  # expect: DP869  # hint: DP145


def kept_graph(x, y):
    loss = torch.stack([F.cross_entropy(model(x), y)]).sum()
    loss.backward()


def weighted(x, y):
    loss = F.cross_entropy(model(x), y)
    weight = torch.tensor(loss.item())
    loss = loss * weight
    loss.backward()


def added(x, y):
    start = torch.tensor(model(x).sum().item())  # hint: DP232
    total = start + F.cross_entropy(model(x), y)
    total.backward()


def latent(x, y):
    code = torch.tensor(model(x).detach(), requires_grad=True)  # hint: DP232
    loss = F.cross_entropy(code, y)
    loss.backward()
    return code.grad


def only_printed(x, y):
    loss = F.cross_entropy(model(x), y)
    print(torch.tensor(loss))
    loss.backward()
