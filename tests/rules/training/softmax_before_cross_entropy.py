import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(3, 20)
        self.fc2 = nn.Linear(20, 3)

    def forward(self, x):
        x = F.relu(self.fc1(x))
        x = self.fc2(x)
        return F.softmax(x, dim=1)


class Good(Net):
    def forward(self, x):
        return self.fc2(F.relu(self.fc1(x)))


class Both(Net):
    def forward(self, x):
        x = self.fc2(self.fc1(x))
        if not self.training:
            x = F.softmax(x, dim=1)
        return x


class Pair(Net):
    def forward(self, x):
        x = self.fc2(self.fc1(x))
        return x, F.softmax(x, dim=1)


def fires(loader, x, y):
    model = Net().cuda()
    criterion = nn.CrossEntropyLoss().cuda()
    for data, target in loader:
        output = model(data)  # hint: DP513
        loss = criterion(output, target)  # expect: DP801
        loss.backward()
    a = F.cross_entropy(F.softmax(x, dim=1), y)  # expect: DP801
    b = F.cross_entropy(x.softmax(1), y)  # expect: DP801
    last = nn.Sequential(nn.Linear(3, 4), nn.Softmax(dim=-1)).to("cuda")
    c = criterion(last(x), y)  # expect: DP801
    parallel = nn.DataParallel(Net())  # expect: DP240
    d = criterion(parallel(x), y)  # expect: DP801
    e = F.cross_entropy(F.log_softmax(x, 1), y)  # hint: DP801
    f = criterion(torch.sigmoid(x).view(-1, 3), y)  # expect: DP801
    scores, probs = Pair()(x)
    g = criterion(probs, y)  # expect: DP801
    return a, b, c, d, e, f, g


def silent(x, y, loader, other):
    criterion = nn.CrossEntropyLoss()
    model = Good()
    for data, target in loader:
        output = model(data)
        loss = criterion(output, target)
        probs = F.softmax(output, dim=1)
        correct = probs.argmax(1)
        loss.backward()
    a = criterion(Both()(x), y)
    scores, probs = Pair()(x)
    b = criterion(scores, y)
    c = F.nll_loss(F.log_softmax(x, dim=1), y)
    d = criterion(other(x), y)
    e = nn.MSELoss()(F.softmax(x, 1), y)
    f = criterion(F.softmax(x, 1) @ y, y)
    return a, b, c, d, e, f, correct
