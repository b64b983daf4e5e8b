import numpy as np
import tensorflow as tf

ROUNDS = 200
BATCH = 32

model = tf.keras.Sequential([tf.keras.layers.Dense(8, input_shape=(4,))])
x = np.random.rand(BATCH, 4).astype(np.float32)
outputs = []
for round_ in range(ROUNDS):
    dataset = tf.data.Dataset.from_tensor_slices(x).batch(BATCH)
    outputs.append(model.predict(dataset, steps=1))

result = len(outputs)
