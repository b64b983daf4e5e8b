import tensorflow as tf
from tensorflow.keras import layers

BATCH = 8

model = tf.keras.Sequential([
    layers.Conv2D(16, 3, activation="relu", input_shape=(320, 320, 3)),
    layers.Conv2D(32, 3, activation="relu"),
    layers.Conv2D(32, 7, activation="relu"),
    layers.Flatten(),
    layers.Dense(512, activation="relu"),
    layers.Dense(1, activation="sigmoid"),
])
model.compile("adam", "binary_crossentropy")
images = tf.random.uniform((BATCH, 320, 320, 3))
model.fit(images, tf.zeros((BATCH, 1)), batch_size=BATCH)
result = len(model.layers) > 0
