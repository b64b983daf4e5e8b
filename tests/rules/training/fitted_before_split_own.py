import csv

import torch


class Scaler:
    def fit(self, x):
        self.mean = x.mean(0)
        self.std = x.std(0).clamp(min=1e-6)
        return self

    def transform(self, x):
        return (x - self.mean) / self.std


class Encoder:
    def fit(self, x):
        self.names = sorted(set(x))
        return self

    def transform(self, x):
        return [self.names.index(one) for one in x]


def read(path):
    with open(path, newline="") as file:
        rows = csv.reader(file)
        next(rows)
        return torch.tensor([[float(value) for value in row[1:]] for row in rows])


def prepare(path, past):
    series = read(path)
    a = int(len(series) * 0.7)
    scaler = Scaler().fit(series)  # expect: DP967
    series = scaler.transform(series)
    return series[:a], series[a - past :], scaler


def prepare_by_name(path):
    series = read(path)
    a = int(len(series) * 0.7)
    scaler = Scaler()
    scaler.fit(series)  # expect: DP967
    series = scaler.transform(series)
    return series[:a], series[a:], scaler


def prepare_training_part(path, past):
    series = read(path)
    a = int(len(series) * 0.7)
    scaler = Scaler().fit(series[:a])
    series = scaler.transform(series)
    return series[:a], series[a - past :], scaler


def number_names(path):
    with open(path) as file:
        names = file.read().split()
    a = int(len(names) * 0.7)
    encoder = Encoder().fit(names)
    names = encoder.transform(names)
    return names[:a], names[a:]
