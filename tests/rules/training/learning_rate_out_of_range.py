import torch
from tensorflow import keras
from torch import optim

RATE = 3.0


def fires(model):
    a = torch.optim.Adam(model.parameters(), lr=1.0)  # hint: DP811
    b = optim.AdamW(model.parameters(), 1e-10)  # hint: DP811
    c = keras.optimizers.Adam(learning_rate=5.0)  # hint: DP811
    d = optim.SGD(model.parameters(), lr=1000)  # hint: DP811
    e = optim.Adam(model.parameters(), lr=RATE)  # hint: DP811
    f = optim.Adam(model.parameters(), lr=-0.001)  # hint: DP811
    return a, b, c, d, e, f


def scheduled(model):
    optimizer = optim.Adam(model.parameters(), lr=1.0)
    return optim.lr_scheduler.LambdaLR(optimizer, lambda step: 0.001 / (step + 1))


def silent(model, image, lr, args):
    a = torch.optim.Adam(model.parameters(), lr=1e-3)
    b = optim.SGD(model.parameters(), lr=5.0)
    c = optim.Adam([image], lr=1.0)
    d = optim.Adam(model.parameters(), lr=lr)
    e = optim.Adam(model.parameters())
    f = optim.LBFGS(model.parameters(), lr=1)
    g = keras.optimizers.Adadelta(1.0)
    h = optim.Adam(model.parameters(), lr=args.lr)
    i = optim.Adam(model.parameters(), lr=0)
    j = optim.Adam(model.parameters(), lr=0.1)
    return a, b, c, d, e, f, g, h, i, j
