# Nothing in sight runs these: a caller may have switched gradients off.
import torch
import torch.nn as nn

net = nn.Sequential(nn.Linear(3, 3), nn.ReLU())


def predict(image):
    return net(image).argmax(1).item()  # hint: DP232


class Agent:
    def __init__(self):
        self.policy = nn.Linear(3, 3)

    def act(self, state):
        probabilities = torch.softmax(self.policy(state), -1)  # hint: DP232
        return probabilities.multinomial(1).item()

    def values(self, states):
        return self.policy(states)


def show(model, x):
    y, _ = model(x)  # hint: DP232
    print(y.data.numpy())


def shape_of(model, x):
    return model(x).shape


class Probe(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 3)
        self.width = self.body(torch.zeros(1, 3)).shape[1]

    def forward(self, x):
        return self.body(x)
