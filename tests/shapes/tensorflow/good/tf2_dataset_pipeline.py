import numpy as np
import tensorflow as tf


def augment(image, label):
    image = tf.image.resize(image, [32, 32])
    image = tf.cast(image, tf.float32) / 255.0
    return image, tf.one_hot(label, 5)


images = np.zeros((40, 50, 60, 3), dtype=np.uint8)
labels = np.zeros((40,), dtype=np.int64)
train = tf.data.Dataset.from_tensor_slices((images, labels)).shuffle(40).map(augment).batch(8).prefetch(1)
model = tf.keras.Sequential([
    tf.keras.layers.Conv2D(8, 3, input_shape=(32, 32, 3)),
    tf.keras.layers.GlobalAveragePooling2D(),
    tf.keras.layers.Dense(5, activation="softmax"),
])
model.compile("adam", "categorical_crossentropy")
model.fit(train, epochs=1)
