import numpy as np
import tensorflow as tf

SAMPLES = 2000
BATCH = 50

x = np.random.rand(SAMPLES, 8).astype(np.float32)
y = x.sum(axis=1)
dataset = tf.data.Dataset.from_tensor_slices((x, y)).repeat().batch(BATCH).prefetch(1)
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(8,))])
model.compile(tf.train.AdamOptimizer(), "mse")
model.fit(dataset, epochs=2, steps_per_epoch=SAMPLES // BATCH)
result = SAMPLES
