# keras: ValueError: Shapes (None, 10) and (None, 9) are incompatible
import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

num_classes = 9  # fixed: num_classes = 10
x = np.random.rand(500, 32).astype("float32")
y = tf.keras.utils.to_categorical(np.random.randint(0, 10, 500), num_classes=10)

inputs = tf.keras.Input(shape=(32,))
h = layers.Dense(64, activation="relu")(inputs)
outputs = layers.Dense(num_classes, activation="softmax")(h)
model = tf.keras.Model(inputs=inputs, outputs=outputs)
model.compile(optimizer="adam", loss=tf.keras.losses.CategoricalCrossentropy())  # or here
model.fit(x, y, validation_split=0.2, epochs=3)  # expect: DP605
