import numpy as np
import tensorflow as tf

SAMPLES = 256
SIZE = 256

model = tf.keras.Sequential([
    tf.keras.layers.Conv2D(64, 3, activation="relu", input_shape=(SIZE, SIZE, 1)),
    tf.keras.layers.Conv2D(1, 3),
])
model.compile("adam", "mse")
x = np.zeros((SAMPLES, SIZE, SIZE, 1), dtype=np.float32)
model.fit(x, x[:, 2:-2, 2:-2], batch_size=2, verbose=0)
outputs = model.predict(x, batch_size=2)
result = outputs.shape[0]
