import numpy as np
import pandas as pd
import tensorflow as tf
import torch


def fires(model, train_loader, n, frames, rows):
    outputs = torch.zeros(0)
    for x in train_loader:
        outputs = torch.cat([outputs, model(x)])  # expect: DP138
    values = np.array([])
    for row in rows:
        values = np.append(values, row.value)  # expect: DP138
    result = None
    for i in range(n):
        if result is None:
            result = model(i)
        else:
            result = torch.cat((result, model(i)), dim=0)  # expect: DP138
    total = np.zeros((0, 3))
    i = 0
    while i < n:
        total = np.vstack((total, model(i)))  # expect: DP138
        i += 1
    joined = tf.zeros([0, 3])
    for i in range(n):
        joined = tf.concat([joined, model(i)], 0)  # expect: DP138
    table = pd.DataFrame()
    for i in range(n):
        table = pd.concat([table, frames[i]])  # expect: DP138
    return outputs, values, result, total, joined, table


class Holder:
    def gather(self, n, model):
        for i in range(n):
            self.all = np.concatenate([self.all, model(i)])  # expect: DP138


def unsure(model, parts):
    gathered = torch.zeros(0)
    for part in parts:
        gathered = torch.cat([gathered, model(part)])  # hint: DP138
    return gathered


def silent(model, train_loader, n, tokens, state, layers, x):
    for step in range(n):
        tokens = torch.cat([tokens, model(tokens)], dim=1)
    for step in range(n):
        logits = model(tokens[:, -1:])
        tokens = torch.cat([tokens, logits], dim=1)
    for i in range(3):
        state = torch.cat([state, model(i)])
    for i in range(n):
        state = torch.cat([state[1:], model(i)])  # hint: DP424
    for i in range(n):
        both = torch.zeros(0)
        both = torch.cat([both, model(i)])
        print(i)
    for layer in layers:
        x = torch.cat([x, layer(x)], 1)
    outputs = []
    for batch in train_loader:
        outputs.append(model(batch))
    outputs = torch.cat(outputs)
    pair = torch.cat([x, state])
    while len(x) < n:
        x = torch.cat([x, x])
    for i in range(n):
        joined = torch.cat([x, state])
    for layer in layers:
        layer.weights = torch.cat([layer.weights, state])
    return tokens, state, both, outputs, pair, joined


@torch.jit.script
def scripted(x: torch.Tensor, n: int):
    y = torch.zeros(0)
    for i in range(n):
        y = torch.cat((y, x))
    return y


def conditional(model, val_loader):
    out = None
    for x in val_loader:
        y = model(x)
        out = y if out is None else torch.cat([out, y])  # expect: DP138
    return out


def emptiness(model, val_loader):
    outs = torch.tensor([])
    for x in val_loader:
        if len(outs) == 0:
            outs = model(x)
        else:
            outs = torch.cat((outs, model(x).cpu()), dim=0)  # expect: DP138
    return outs


def entries(model, val_loader):
    history = {"loss": np.zeros(0)}
    for x in val_loader:
        history["loss"] = np.append(history["loss"], model(x).item())  # expect: DP138
    return history


def by_key(model, val_loader, results):
    for name, x in val_loader:
        results[name] = torch.cat([results[name], model(x)])
    return results


def cast(model, val_loader):
    seen = torch.zeros(0)
    for x in val_loader:
        seen = torch.cat([seen.cpu(), model(x).cpu()]).cpu()  # expect: DP138
        print(seen.shape)
    return seen


def a_few(model, val_loader):
    samples = torch.zeros(0)
    for x in val_loader:
        if samples.size(0) < 10:
            samples = torch.cat([samples, model(x)[:1]])
    return samples


def decoding(model, tokens, steps):
    for _ in range(steps):  # hint: DP183
        following = model(tokens).argmax(-1)[:, -1:]
        tokens = torch.cat([tokens, following], dim=1)
    return tokens


class Meter:
    def __init__(self):
        self.scores = torch.zeros(0)

    def update(self, scores):
        self.scores = torch.cat([self.scores, scores])  # expect: DP138


def measure(model, val_loader):
    meter = Meter()
    for x in val_loader:
        meter.update(model(x))
    return meter.scores


class Rollout:
    def __init__(self):
        self.states = torch.zeros(0, 8)
        self.rare = torch.zeros(0, 8)
        self.few = torch.zeros(0, 8)

    def add(self, state):
        self.states = torch.cat((self.states, state))  # expect: DP138

    def add_few(self, state):
        self.few = torch.cat((self.few, state))

    def add_some(self, state):
        self.rare = torch.cat((self.rare, state))


EPISODE = 2500
rollout = Rollout()
for t in range(EPISODE):
    rollout.add(torch.full((1, 8), float(t)))
    if t == 0:
        rollout.add_some(torch.ones(1, 8))
for t in range(8):
    rollout.add_few(torch.ones(1, 8))


class Features:
    def __init__(self):
        self.rows = torch.empty(0, 64)
        self.stages = torch.empty(0, 64)

    def add(self, rows):
        self.rows = torch.cat((self.rows, rows))  # expect: DP138

    def add_stage(self, x):
        self.stages = torch.cat((self.stages, x))  # hint: DP138


@torch.no_grad()
def collect_features(stream):
    encoder = torch.nn.Linear(16, 64)
    features = Features()
    for x in stream:
        features.add(encoder(x))
    return features


@torch.no_grad()
def collect_stages(stages, x):
    features = Features()
    for stage in stages:
        x = stage(x)
        features.add_stage(x)
    return features
