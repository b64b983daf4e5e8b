import numpy as np
import tensorflow as tf

# requires tensorflow>=2.3
ROUNDS = 200

model = tf.keras.Sequential([tf.keras.layers.Dense(32, input_shape=(8,)), tf.keras.layers.Dense(1)])
model.compile("adam", "mse")
x = np.random.default_rng(0).random((64, 8), dtype=np.float32)
y = x.mean(axis=1)
losses = []
for round_ in range(ROUNDS):
    model.fit(x, y, verbose=0)
    losses.append(model.evaluate(x, y, verbose=0))

result = len(losses)
