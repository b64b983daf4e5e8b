import keras
from keras import layers

HEADS, LOSSES = {}, {}


def register(table, name):
    def wrap(function):
        table[name] = function
        return function

    return wrap


@register(HEADS, "multiclass")
def multiclass_head(features, spec):
    return layers.Dense(spec["classes"])(layers.Dense(64, activation="relu")(features))


@register(HEADS, "binary")
def binary_head(features, spec):
    return layers.Dense(1, activation="sigmoid")(features)


@register(LOSSES, "multiclass")
def multiclass_loss(spec):
    return keras.losses.SparseCategoricalCrossentropy(name="xent")


@register(LOSSES, "binary")
def binary_loss(spec):
    return keras.losses.BinaryCrossentropy(name="bce")


def build(spec):
    inputs = keras.Input((spec["length"],))
    model = keras.Model(inputs, HEADS[spec["task"]](inputs, spec))
    model.compile(optimizer="adam", loss=LOSSES[spec["task"]](spec))  # expect: DP820
    return model


def build_binary(spec):
    inputs = keras.Input((spec["length"],))
    model = keras.Model(inputs, HEADS["binary"](inputs, spec))
    model.compile(optimizer="adam", loss=LOSSES["binary"](spec))
    return model


def build_any(spec, task):
    inputs = keras.Input((spec["length"],))
    model = keras.Model(inputs, HEADS[task](inputs, spec))
    model.compile(optimizer="adam", loss=LOSSES[task](spec))
    return model


def main():
    spec = {"task": "multiclass", "classes": 46, "length": 256}
    return build(spec), build_binary(spec)
