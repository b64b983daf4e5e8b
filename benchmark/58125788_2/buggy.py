import tensorflow as tf
from tensorflow.keras import layers, models

SIZE = 1024
BATCH = 4

model = models.Sequential([
    layers.Conv2D(512, 3, activation="relu", input_shape=(SIZE, SIZE, 3)),
    layers.MaxPooling2D(4),
    layers.Conv2D(512, 3, activation="relu"),
    layers.GlobalAveragePooling2D(),
    layers.Dense(2, activation="softmax"),
])
model.compile("adam", "sparse_categorical_crossentropy")
images = tf.random.uniform((BATCH, SIZE, SIZE, 3))
labels = tf.range(BATCH) % 2
model.fit(images, labels, batch_size=BATCH, steps_per_epoch=1)
result = len(model.layers)
