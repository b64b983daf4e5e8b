from tensorflow import keras


def price():
    model = keras.Sequential()
    model.add(keras.layers.Dense(64, activation="relu"))
    model.add(keras.layers.Dense(1))
    model.compile(loss="mse", optimizer="adam", metrics=["accuracy"])  # expect: DP962
    return model


def functional(inputs):
    x = keras.layers.Dense(64, activation="relu")(inputs)
    model = keras.Model(inputs, keras.layers.Dense(1, activation="linear")(x))
    model.compile("adam", "mean_absolute_error", ["mae", "acc"])  # expect: DP962
    return model


def right():
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile(loss="mse", optimizer="adam", metrics=["mae"])
    binary = keras.Sequential([keras.layers.Dense(1, activation="sigmoid")])
    binary.compile(loss="mse", optimizer="adam", metrics=["accuracy"])
    classes = keras.Sequential([keras.layers.Dense(10, activation="softmax")])
    classes.compile(loss="mse", optimizer="adam", metrics=["accuracy"])
    return model, binary, classes


functional(keras.Input((4,)))
