import torch.nn as nn
import torch.nn.functional as F
from tensorflow.keras import Sequential, layers

size = 64

fires = nn.Sequential(
    nn.Conv2d(3, 64, 3),  # hint: DP238
    nn.BatchNorm2d(64),
    nn.ReLU(),
    nn.Conv2d(64, size, 3, bias=True),  # hint: DP238
    nn.BatchNorm2d(size),
    nn.Linear(10, 20),  # hint: DP238
    nn.BatchNorm1d(20),
)

silent = nn.Sequential(
    nn.Conv2d(3, 64, 3, bias=False),
    nn.BatchNorm2d(64),
    nn.Conv2d(64, 64, 3),
    nn.ReLU(),
    nn.BatchNorm2d(64),
    nn.Linear(10, 20),
    nn.BatchNorm1d(50),
    nn.BatchNorm2d(64),
    nn.Conv2d(64, 64, 3),
    nn.Conv2d(64, 64, 3, 1, 1, 1, 1, False),
    nn.BatchNorm2d(64),
    nn.Conv2d(64, 64, 3),
    nn.LayerNorm(64),
)


def grow(blocks, use_bias, options):
    blocks += [nn.ConvTranspose2d(3, 8, 3), nn.BatchNorm2d(8)]  # hint: DP238
    blocks += [nn.Conv2d(3, 8, 3, bias=use_bias), nn.BatchNorm2d(8)]
    blocks += [nn.Conv2d(3, 8, 3, **options), nn.BatchNorm2d(8)]
    blocks.append(nn.Conv2d(3, 8, 3))
    return nn.Sequential(*blocks)


class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.conv1 = nn.Conv2d(3, n, 3)  # hint: DP238
        self.bn1 = nn.BatchNorm2d(n)
        self.conv2 = nn.Conv2d(n, n, 3)  # hint: DP238
        self.bn2 = nn.BatchNorm2d(n)
        self.conv3 = nn.Conv2d(n, n, 3)
        self.bn3 = nn.BatchNorm2d(n)
        self.conv4 = nn.Conv2d(n, n, 3)
        self.bn4 = nn.BatchNorm2d(n)
        self.conv5 = nn.Conv2d(n, n, 3)
        self.bn5 = nn.BatchNorm2d(n)
        self.shared = nn.Conv2d(n, n, 3)
        self.conv6 = nn.Conv2d(n, n, 3)
        nn.init.zeros_(self.conv6.bias)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        x = self.conv2(x)
        x = self.bn2(x)
        x = F.relu(self.conv3(x))
        x = self.bn3(x)
        y = self.conv4(x)
        x = self.bn4(y) + y
        x = self.conv5(x)
        x = F.relu(x)
        x = self.bn5(x)
        x = self.bn5(self.shared(x)) + self.shared(x)
        return self.bn5(self.conv6(x))


model = Sequential([
    layers.Conv2D(32, 3, use_bias=True),  # hint: DP238
    layers.BatchNormalization(),
    layers.Conv2D(32, 3, activation="relu"),
    layers.BatchNormalization(),
    layers.Conv2D(32, 3, use_bias=False),
    layers.BatchNormalization(),
    layers.Dense(10, activation=None),  # hint: DP238
    layers.BatchNormalization(),
    layers.Dense(10, "relu"),
    layers.BatchNormalization(),
])


def functional(x, y):
    x = layers.Conv2D(32, 3)(x)  # hint: DP238
    x = layers.BatchNormalization()(x)
    x = layers.BatchNormalization()(layers.Conv2D(8, 1)(x))  # hint: DP238
    z = layers.Conv2D(32, 3)(x)
    w = layers.BatchNormalization()(z)
    x = layers.Conv2D(32, 3)(w)
    x = layers.ReLU()(x)
    x = layers.BatchNormalization()(x)
    return x, y, z


def added():
    m = Sequential()
    m.add(layers.Conv2D(32, 3))  # hint: DP238
    m.add(layers.BatchNormalization())
    m.add(layers.Conv2D(32, 3, activation="relu"))
    m.add(layers.BatchNormalization())
    m.add(layers.Conv2D(32, 3))
    return m
