# keras: ValueError: Shapes (32,) and (32, 10) are incompatible
import numpy as np
import tensorflow as tf

model = tf.keras.Sequential([
    tf.keras.layers.Flatten(),
    tf.keras.layers.Dense(64, activation="relu"),
    tf.keras.layers.Dense(10),
])
optimizer = tf.keras.optimizers.Adam()
loss_fn = tf.keras.losses.CategoricalCrossentropy(from_logits=True)  # fixed: loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
x = np.random.rand(320, 28, 28).astype("float32")
y = np.random.randint(0, 10, size=320)
dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(32, drop_remainder=True)

for epoch in range(2):
    for images, labels in dataset:
        with tf.GradientTape() as tape:
            logits = model(images, training=True)
            loss = loss_fn(labels, logits)  # expect: DP605
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
