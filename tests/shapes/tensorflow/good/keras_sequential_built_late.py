import numpy as np
import tensorflow as tf

model = tf.keras.Sequential([
    tf.keras.layers.Flatten(),
    tf.keras.layers.Dense(32, activation="relu"),
    tf.keras.layers.Dense(1),
])
model.compile("adam", "mse")
model.fit(np.random.rand(50, 4, 4), np.random.rand(50), epochs=1)
print(model.predict(np.random.rand(3, 4, 4)).shape)
