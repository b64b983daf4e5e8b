import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold
from tensorflow import keras


def build():
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile("adam", "mse")
    return model


def shared(x, y):
    model = build()
    scores = []
    for train, test in KFold(5).split(x):
        model.fit(x[train], y[train], epochs=5)  # expect: DP955
        scores.append(model.evaluate(x[test], y[test]))
    return np.mean(scores)


def shared_and_counted(x, y):
    folds = StratifiedKFold(n_splits=5, shuffle=True)
    net = keras.Sequential([keras.layers.Dense(1)])
    net.compile("adam", "mse")
    for i, (train, test) in enumerate(folds.split(x, y)):
        history = net.fit(x[train], y[train], validation_data=(x[test], y[test]))  # expect: DP955
        print(i, history.history)


def built_in_each_fold(x, y):
    for train, test in KFold(5).split(x):
        keras.backend.clear_session()
        model = build()
        model.fit(x[train], y[train])


def weights_restored(x, y):
    model = build()
    start = model.get_weights()
    for train, test in KFold(5).split(x):
        model.set_weights(start)
        model.fit(x[train], y[train])


def parts(x, y, chunks):
    model = build()
    for chunk in chunks.split(x):
        model.fit(x[chunk], y[chunk])
