import gc

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K

TRIALS = 20
SAMPLES = 256

x = np.random.default_rng(0).random((SAMPLES, 16), dtype=np.float32)
y = x.sum(axis=1)
scores = []
for trial in range(TRIALS):
    K.clear_session()
    gc.collect()
    model = tf.keras.Sequential([
        tf.keras.layers.Dense(16 + trial, activation="relu", input_shape=(16,)),
        tf.keras.layers.Dense(1),
    ])
    model.compile("adam", "mse")
    model.fit(x, y, epochs=1, verbose=0)
    scores.append(float(np.mean(model.predict(x))))

result = len(scores)
