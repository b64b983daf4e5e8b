from dataclasses import dataclass, field

from tensorflow import keras


def classifier(classes):
    inputs = keras.Input((32,))
    outputs = keras.layers.Dense(classes, activation="softmax")(inputs)
    return keras.Model(inputs, outputs)


def options(rate):
    return {
        "optimizer": keras.optimizers.Adam(rate),
        "loss": keras.losses.SparseCategoricalCrossentropy(from_logits=True),  # expect: DP820
    }


model = classifier(10)
model.compile(**options(1e-3))

SETTINGS = dict(optimizer="adam", loss="sparse_categorical_crossentropy")
right = classifier(10)
right.compile(**SETTINGS)

layer_options = {"units": 4, "activation": "sigmoid"}
inputs = keras.Input((8,))
sigmoid_model = keras.Model(inputs, keras.layers.Dense(**layer_options)(inputs))
loss = {"loss": keras.losses.BinaryCrossentropy(from_logits=True)}  # expect: DP820
sigmoid_model.compile("adam", **loss)


def unknown(**settings):
    third = classifier(10)
    third.compile(**settings)
    return third


@dataclass
class Head:
    units: int = 1
    activation: str = "softmax"


@dataclass
class Spec:
    hidden: int = 64
    head: Head = field(default_factory=Head)


def from_spec(spec: Spec):
    inputs = keras.Input((8,))
    x = keras.layers.Dense(spec.hidden, activation="relu")(inputs)
    return keras.Model(inputs, keras.layers.Dense(spec.head.units, activation=spec.head.activation)(x))  # expect: DP821


from_spec(Spec())
