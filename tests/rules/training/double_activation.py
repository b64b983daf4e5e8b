import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)
        self.softmax = nn.Softmax(dim=1)

    def forward(self, x):
        return F.relu(self.fc(x))

    def probabilities(self, x):
        return torch.sigmoid(self.softmax(self.fc(x)))  # expect: DP815

    def weights(self, x):
        return self.softmax(self.fc(x))


def fires(x, y):
    a = F.cross_entropy(Net()(x), y)  # expect: DP815
    b = torch.sigmoid(torch.sigmoid(x))  # expect: DP815
    c = nn.Sequential(nn.Linear(3, 4), nn.Sigmoid(), nn.Softmax(dim=1))  # expect: DP815
    d = F.softmax(F.relu(x), dim=1)  # hint: DP815
    return a, b, c, d


def silent(x, y):
    a = F.softmax(x, dim=1)
    b = torch.sigmoid(torch.tanh(x))
    c = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 3), nn.Softmax(dim=1))
    d = F.mse_loss(F.relu(x), y)
    e = F.relu(F.relu(x))
    f = F.softmax(torch.sigmoid(x) @ y, dim=1)
    return a, b, c, d, e, f


# A network that ends in an activation gets the picture that another one made.
class Digits(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 10, 28)

    def forward(self, x):
        return F.log_softmax(self.conv(x).flatten(1), dim=1)


def judged(digits: Digits, decoder: nn.Linear, z):
    picture = torch.sigmoid(decoder(z)).view(-1, 1, 28, 28)
    return digits(picture), Digits()(picture)
