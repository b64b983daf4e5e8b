import torch
from nets import Net, build
from torch import nn


class Predictor:
    def __init__(self, path):
        self.model = build()
        self.model.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))

    def predict(self, x):
        with torch.no_grad():
            return self.model(x)  # expect: DP813


def predict(path, x):
    net = Net()
    net.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))  # hint: DP813
    with torch.no_grad():
        return net(x)  # expect: DP813


def load(path):
    net = Net()
    net.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    return net


@torch.no_grad()
def infer(path, x):
    net = load(path)
    return net(x)  # expect: DP813


def linear(path, x):
    net = nn.Linear(2, 2)
    net.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    with torch.no_grad():
        return net(x)


if __name__ == "__main__":
    p = Predictor("x")
    p.predict(torch.zeros(2, 2))
    predict("x", torch.zeros(2, 2))
    infer("x", torch.zeros(2, 2))
    linear("x", torch.zeros(2, 2))
