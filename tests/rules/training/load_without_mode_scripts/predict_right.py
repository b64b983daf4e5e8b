import torch
from nets import Net, build


class Predictor:
    def __init__(self, path):
        self.model = build()
        self.model.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
        self.model.eval()

    def predict(self, x):
        with torch.no_grad():
            return self.model(x)


def load(path):
    net = Net()
    net.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    return net.eval()


@torch.no_grad()
def infer(path, x):
    net = load(path)
    return net(x)


def sampled(path, x):
    net = Net()
    net.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    net.train()
    net.eval()
    with torch.no_grad():
        return net(x)


if __name__ == "__main__":
    p = Predictor("x")
    p.predict(torch.zeros(2, 2))
    infer("x", torch.zeros(2, 2))
    sampled("x", torch.zeros(2, 2))
