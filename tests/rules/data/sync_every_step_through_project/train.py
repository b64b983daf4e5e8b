"""Reaches PyTorch through another module of the project only."""
from net import Net, loss_of, make_loader, make_optimizer


def train(items):
    net = Net().cuda()
    optimizer = make_optimizer(net)
    total = 0.0
    for x, y in make_loader(items):
        loss = loss_of(net(x.cuda()), y.cuda())  # hint: DP513
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()  # expect: DP402
    return total
