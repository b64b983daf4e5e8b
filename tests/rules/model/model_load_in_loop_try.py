import logging
import pathlib

import numpy as np
import tensorflow as tf


def tag(path, model_dir, cutoff):
    model = tf.keras.models.load_model(model_dir / "tagger.keras", compile=False)  # expect: DP205
    scores = model.predict(np.load(path), batch_size=32, verbose=0).mean(axis=0)
    return scores > cutoff


def tag_all(root, model_dir, cutoff):
    for path in sorted(root.rglob("*.npy")):
        try:
            yield path, tag(path, model_dir, cutoff)
        except OSError as error:
            logging.warning("skipping %s: %s", path, error)


def load_with_patience(path):
    for _ in range(100):
        try:
            return tf.keras.models.load_model(path)
        except OSError:
            logging.warning("again")
    return None


for name, found in tag_all(pathlib.Path("data"), pathlib.Path("models"), 0.5):
    print(name, found)
