import tensorflow as tf

BATCH = 64
CLASSES = 10


def weighted_loss(y_true, y_pred):
    weights = 1.0 + tf.reduce_max(y_true, axis=1)
    return tf.reduce_mean(weights * tf.reduce_sum(tf.square(y_true - y_pred), axis=1))


model = tf.keras.Sequential([tf.keras.layers.Dense(32, activation="relu", input_shape=(20,)), tf.keras.layers.Dense(CLASSES)])
model.compile("adam", loss=weighted_loss)
x = tf.random.uniform((BATCH * 20, 20), seed=1)
y = tf.random.uniform((BATCH * 20, CLASSES), seed=2)
history = model.fit(x, y, batch_size=BATCH, epochs=3, verbose=0)
result = len(history.history["loss"])
