import tensorflow as tf
import torch
from tensorflow import keras
from tensorflow.keras.layers import Activation, Conv2D, Dense
from torch import nn


def fires(x):
    a = Dense(1, activation="softmax")  # expect: DP821
    b = Dense(units=1, activation=tf.nn.softmax)  # expect: DP821
    c = Conv2D(1, 1, activation="softmax")(x)  # expect: DP821
    d = keras.Sequential([Dense(8), Dense(1), Activation("softmax")])  # expect: DP821
    e = nn.Sequential(nn.Linear(8, 1), nn.Softmax(dim=-1))  # expect: DP821
    f = tf.compat.v1.layers.dense(x, 1, tf.nn.softmax)  # expect: DP821
    g = keras.Sequential()
    g.add(Dense(1))
    g.add(Activation("softmax"))  # expect: DP821
    return a, b, c, d, e, f, g


def silent(x, n, activation, options):
    a = Dense(1, activation="sigmoid")
    b = Dense(2, activation="softmax")
    c = Dense(n, activation="softmax")
    d = Dense(1, activation=activation)
    e = Dense(1, **options)
    f = nn.Sequential(nn.Linear(8, 1), nn.Softmax(dim=1))
    g = nn.Sequential(nn.Linear(8, 2), nn.Softmax(dim=-1))
    h = keras.Sequential([Dense(1), Dense(3), Activation("softmax")])
    i = keras.Sequential([Dense(1), keras.layers.Softmax(axis=1)])
    j = Dense(1)
    k = torch.softmax(x, dim=-1)
    return a, b, c, d, e, f, g, h, i, j, k


added = keras.Sequential()
added.add(Dense(16, activation="relu"))
added.add(Dense(1))
added.add(keras.layers.Softmax())  # expect: DP821


class Pooling(torch.nn.Module):
    def __init__(self, d):
        super().__init__()
        self.score = torch.nn.Linear(d, 1)
        self.deep = torch.nn.Sequential(torch.nn.Linear(d, d), torch.nn.Tanh(), torch.nn.Linear(d, 1))
        self.classes = torch.nn.Linear(d, 10)

    def forward(self, x):
        a = torch.softmax(self.score(x), dim=-1)  # expect: DP821
        scores = self.deep(x)
        b = scores.softmax(-1)  # expect: DP821
        c = torch.softmax(self.score(x), dim=1)
        d = torch.softmax(self.score(x).squeeze(-1), dim=-1)
        e = torch.softmax(self.classes(x), dim=-1)
        return (a + b + c) * x, d, e
