"""Keras: work that is done again and again where once is enough."""

import numpy as np
from tensorflow import keras


def build(units):
    return keras.Sequential(
        [
            keras.layers.Flatten(input_shape=(28, 28)),
            keras.layers.Dense(units, activation="relu"),
            # PLANTED: softmax here and from_logits=True below: the loss sees probabilities as logits
            keras.layers.Dense(10, activation="softmax"),
        ]
    )


def search(x, y, candidates=(32, 64, 128)):
    best = None
    for units in candidates:
        # PLANTED: models accumulate in the session (keras.backend.clear_session() is missing)
        model = build(units)
        model.compile(
            optimizer="adam",
            loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
            metrics=["accuracy"],
        )
        score = model.fit(x, y, epochs=3, validation_split=0.1, verbose=0).history["val_accuracy"][-1]
        if best is None or score > best[0]:
            best = score, model
    return best[1]


def label(model, images):
    labels = []
    for image in images:
        # PLANTED: predict() for one image at a time; it is designed for batches
        labels.append(int(np.argmax(model.predict(image[np.newaxis]))))
    return labels
