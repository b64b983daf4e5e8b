# keras: ValueError: Input 0 of layer "sequential" is incompatible with the layer: expected shape=(None, 13), found shape=(13,)
import numpy as np
import tensorflow as tf

features = np.random.rand(400, 13).astype("float32")
prices = np.random.rand(400, 1).astype("float32")
train = tf.data.Dataset.from_tensor_slices((features, prices)).shuffle(400)  # fixed: train = tf.data.Dataset.from_tensor_slices((features, prices)).shuffle(400).batch(32)

model = tf.keras.Sequential([
    tf.keras.layers.Dense(64, activation="relu", input_shape=(13,)),
    tf.keras.layers.Dense(64, activation="relu"),
    tf.keras.layers.Dense(1),
])
model.compile(optimizer="rmsprop", loss="mse")
model.fit(train, epochs=10)  # expect: DP613 or DP604
