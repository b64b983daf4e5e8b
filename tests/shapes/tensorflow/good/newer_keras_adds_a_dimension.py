# Keras since 2.4 adds a last dimension of 1 where it is missing.
import tensorflow as tf

(x, y), (x_test, y_test) = tf.keras.datasets.mnist.load_data()
model = tf.keras.Sequential([
    tf.keras.layers.Conv2D(8, 3, input_shape=(28, 28, 1)),
    tf.keras.layers.Flatten(),
    tf.keras.layers.Dense(10, activation="softmax"),
])
model.compile("adam", "sparse_categorical_crossentropy", metrics=["acc"])
history = model.fit(x / 255.0, y, validation_data=(x_test / 255.0, y_test))
print(history.history["val_acc"])

steps = tf.keras.Sequential([tf.keras.layers.LSTM(8, input_shape=(30, 1)), tf.keras.layers.Dense(1)])
steps.compile("adam", "mse")
steps.fit(tf.zeros((16, 30)), tf.zeros((16, 1)))
steps.fit(tf.zeros((16, 30, 1)), tf.zeros((16,)))
