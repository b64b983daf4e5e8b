import keras
from keras import layers

MODELS = {}


def register(name):
    def wrap(function):
        MODELS[name] = function
        return function

    return wrap


@register("small")
def small(cfg):
    inputs = keras.Input((cfg["width"],))
    return keras.Model(inputs, layers.Dense(cfg["classes"])(inputs))


@register("large")
def large(cfg):
    inputs = keras.Input((cfg["width"],))
    x = layers.Dense(512, activation="relu")(inputs)
    return keras.Model(inputs, layers.Dense(cfg["classes"], name="topic")(x))


def with_softmax(cfg):
    inputs = keras.Input((cfg["width"],))
    return keras.Model(inputs, layers.Dense(cfg["classes"], activation="softmax")(inputs))


def plain(cfg):
    inputs = keras.Input((cfg["width"],))
    return keras.Model(inputs, layers.Dense(cfg["classes"])(inputs))


def focal(y, logits):
    return keras.ops.sum(keras.ops.log_softmax(logits) * y)


LOSSES = {"ce": keras.losses.SparseCategoricalCrossentropy(), "focal": focal}
LOGITS = {"ce": keras.losses.SparseCategoricalCrossentropy(from_logits=True), "focal": focal}
BOTH = {
    "logits": keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    "ce": keras.losses.SparseCategoricalCrossentropy(),
}
BUILDERS = {"softmax": with_softmax, "other": with_softmax}
MIXED = {"softmax": with_softmax, "plain": plain}


def fires(model, cfg):
    model.compile(optimizer="adam", loss=LOSSES[cfg["loss"]])  # expect: DP820
    return model


def silent(model, cfg):
    model.compile(optimizer="adam", loss=LOGITS[cfg["loss"]])
    return model


def unclear(model, cfg):
    model.compile(optimizer="adam", loss=BOTH[cfg["loss"]])
    return model


def twice(cfg):
    model = BUILDERS[cfg["model"]](cfg)
    model.compile(optimizer="adam", loss=LOGITS["ce"])  # expect: DP820
    return model


def mixed(cfg):
    model = MIXED[cfg["model"]](cfg)
    model.compile(optimizer="adam", loss=LOSSES["ce"])
    return model


def main(cfg):
    fires(MODELS[cfg["model"]](cfg), cfg)
    silent(MODELS[cfg["model"]](cfg), cfg)
    unclear(MODELS[cfg["model"]](cfg), cfg)
