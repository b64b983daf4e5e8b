import keras
import numpy as np
import optuna

x = np.load("x.npy")
y = np.load("y.npy")


def build(units):
    model = keras.Sequential([keras.layers.Dense(units), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    return model


def objective(trial):
    model = build(trial.suggest_int("units", 8, 256))  # expect: DP204
    model.fit(x, y, epochs=3)
    return model.evaluate(x, y)


def freed(trial):
    keras.backend.clear_session()
    model = build(trial.suggest_int("units", 8, 256))
    model.fit(x, y, epochs=3)
    return model.evaluate(x, y)


def once(trial):
    model = build(trial.suggest_int("units", 8, 256))
    model.fit(x, y, epochs=3)
    return model


optuna.create_study().optimize(objective, n_trials=100)
optuna.create_study().optimize(freed, n_trials=100)
once(optuna.trial.FixedTrial({"units": 8}))
