import dataclasses
from functools import partial
import keras
import tensorflow as tf
from keras import layers


# 1 registry of builder classes
class Head(keras.Model):
    def __init__(self, n, act):
        super().__init__()
        self.body = layers.Dense(64, activation="relu")
        self.out = layers.Dense(n, activation=act)

    def call(self, x):
        return self.out(self.body(x))


def v1():
    m = Head(10, "softmax")
    m.compile("adam", loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))  # expect: DP820
    return m


# 2 dataclass config
@dataclasses.dataclass
class Cfg:
    classes: int = 10
    activation: str = "softmax"
    from_logits: bool = True


def v2(cfg: Cfg):
    inp = keras.Input((32,))
    x = layers.Dense(64, activation="relu")(inp)
    out = layers.Dense(cfg.classes, activation=cfg.activation)(x)
    model = keras.Model(inp, out)
    model.compile(optimizer="adam", loss=keras.losses.CategoricalCrossentropy(from_logits=cfg.from_logits))  # expect: DP820
    return model


# 3 list comprehension of layers, and add
def v3(widths=(64, 32)):
    model = keras.Sequential([layers.Dense(w, activation="relu") for w in widths])
    model.add(layers.Dense(10, activation="softmax"))
    model.compile("adam", loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))  # expect: DP820
    return model


# 4 loss as attribute of a trainer, custom loop
class Trainer:
    def __init__(self):
        self.model = keras.Sequential([layers.Dense(64, activation="relu"), layers.Dense(10, activation="softmax")])
        self.loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    @tf.function
    def step(self, x, y):
        with tf.GradientTape() as tape:
            p = self.model(x, training=True)
            loss = self.loss(y, p)  # expect: DP820
        return tape.gradient(loss, self.model.trainable_variables)


# 5 partial of the loss function
def v5():
    model = keras.Sequential([layers.Dense(64, activation="relu"), layers.Dense(10, activation="softmax")])
    model.compile("adam", loss=partial(keras.losses.sparse_categorical_crossentropy, from_logits=True))  # expect: DP820
    return model


# 6 custom loss function
def my_loss(y, p):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=p)


def v6():
    model = keras.Sequential([layers.Dense(64, activation="relu"), layers.Dense(10, activation="softmax")])
    model.compile("adam", loss=my_loss)  # expect: DP820
    return model


# 7 lambda loss
def v7():
    model = keras.Sequential([layers.Dense(64, activation="relu"), layers.Dense(10, activation="softmax")])
    model.compile("adam", loss=lambda y, p: keras.losses.sparse_categorical_crossentropy(y, p, from_logits=True))  # expect: DP820
    return model


# 11 if/elif
def v11(kind):
    model = keras.Sequential([layers.Dense(64, activation="relu"), layers.Dense(10, activation="softmax")])
    if kind == "sparse":
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    else:
        loss = keras.losses.CategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss=loss)  # expect: DP820
    return model


# 12 custom Loss in train_step of a Model subclass
class Net12(keras.Model):
    def __init__(self):
        super().__init__()
        self.net = keras.Sequential([layers.Dense(64, activation="relu"), layers.Dense(10, activation="softmax")])
        self.ce = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def call(self, x):
        return self.net(x)

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = self.ce(y, self(x, training=True))  # expect: DP820
        return {"loss": loss}


v2(Cfg())
for make in (v1, v3, v5, v6, v7):
    make()
v11("sparse")


# What fits must stay silent.
def good_loss(y, p):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=tf.math.log(p))


def good(kind):
    model = keras.Sequential([layers.Dense(64, activation="relu"), layers.Dense(10, activation="softmax")])
    model.compile("adam", loss=good_loss)
    model.compile("adam", loss=lambda y, p: keras.losses.sparse_categorical_crossentropy(y, p))
    model.compile("adam", loss=partial(keras.losses.sparse_categorical_crossentropy, axis=-1))
    if kind == "soft":
        loss = keras.losses.CategoricalCrossentropy()
    else:
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss=loss)
    return model


def grown(widths, logits):
    model = keras.Sequential()
    for width in widths:
        model.add(layers.Dense(width, activation="softmax"))
    if logits:
        model.add(layers.Dense(10))
    model.compile("adam", loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    return model


HEADS = {
    "binary": {"activation": "sigmoid", "loss": lambda: keras.losses.BinaryCrossentropy()},
    "several": {"activation": "softmax", "loss": lambda: keras.losses.SparseCategoricalCrossentropy(from_logits=True)},
}


def from_table(task):
    head = HEADS[task]
    model = keras.Sequential([layers.Dense(10, activation=head["activation"])])
    model.compile("adam", loss=head["loss"]())  # expect: DP820
    return model


from_table("several")
