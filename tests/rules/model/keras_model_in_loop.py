import gc

import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Dense


def build(units):
    model = keras.Sequential([Dense(units), Dense(1)])
    return model


class Net(keras.Model):
    pass


def fires(folds, x, y):
    for train, test in folds:
        model = keras.Sequential([Dense(1)])  # expect: DP204
        model.compile("adam", "mse")
        model.fit(x, y)
    for units in folds:
        net = build(units)  # expect: DP204
        net.compile("adam", "mse")
        net.fit(x, y)
    for fold in folds:
        own = Net()  # expect: DP204
        own.compile("adam", "mse")
        own.fit(x, y)


def silent(folds, x, y, paths):
    for train, test in folds:
        K.clear_session()
        model = keras.Sequential([Dense(1)])
        model.compile("adam", "mse")
        model.fit(x, y)
    for units in (16, 32, 64):
        model = build(units)
        model.compile("adam", "mse")
        model.fit(x, y)
    models = []
    for fold in folds:
        model = build(8)
        model.compile("adam", "mse")
        models.append(model)
    for fold in folds:
        branch = keras.Sequential([Dense(1)])
        x = branch(x)
    for fold in folds:
        model = build(8)
        model.compile("adam", "mse")
        model.fit(x, y)
        del model
        gc.collect()
    for path in paths:
        model = keras.models.load_model(path)
        model.fit(x, y)
    model = build(8)
    for fold in folds:
        model.fit(x, y)
    for fold in folds:
        tf.keras.utils.set_random_seed(fold)
        one = build(8)
        one.summary()


def experiment(units, x, y):
    model = keras.Sequential([keras.layers.Dense(units)])  # expect: DP204
    model.compile("adam", "mse")
    return model.fit(x, y).history["loss"][-1]


def clean_experiment(units, x, y):
    keras.backend.clear_session()
    model = keras.Sequential([keras.layers.Dense(units)])
    model.compile("adam", "mse")
    return model.fit(x, y).history["loss"][-1]


def search(trials, x, y):
    losses = []
    for units in range(16, 512):
        losses.append(experiment(units, x, y))
    for units in range(16, 512):
        losses.append(clean_experiment(units, x, y))
    return losses
