import numpy as np
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(10)])
optimizer = tf.keras.optimizers.Adam()
loss_fn = tf.keras.losses.MeanSquaredError()


def by_argmax(x, y):
    with tf.GradientTape() as tape:
        predicted = tf.cast(tf.argmax(model(x, training=True), -1), tf.float32)
        loss = tf.reduce_mean((predicted - y) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)  # expect: DP858
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))


def by_numpy(x, y):
    with tf.GradientTape() as tape:
        predicted = model(x, training=True).numpy()
        loss = loss_fn(y, tf.convert_to_tensor(predicted))
    return tape.gradient(loss, model.trainable_variables)  # expect: DP858


def by_predict(x, y):
    with tf.GradientTape() as tape:
        predicted = model.predict(x)
        loss = loss_fn(y, predicted)
    return tape.gradient(loss, model.trainable_variables)  # expect: DP858


def with_a_metric(x, y):
    with tf.GradientTape() as tape:
        logits = model(x, training=True)
        hits = tf.cast(tf.argmax(logits, -1), tf.float32) == y
        loss = loss_fn(y, logits) * tf.reduce_mean(tf.cast(hits, tf.float32))
    return tape.gradient(loss, model.trainable_variables)


def actions(x, rewards):
    with tf.GradientTape() as tape:
        logits = model(x, training=True)
        chosen = tf.argmax(logits, -1)
        log_probability = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=chosen, logits=logits)
        loss = tf.reduce_mean(log_probability * rewards)
    return tape.gradient(loss, model.trainable_variables)


def minimized(x, y):
    loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
    optimizer.minimize(loss, model.trainable_variables)  # expect: DP858
    optimizer.minimize(lambda: tf.reduce_mean((model(x, training=True) - y) ** 2), model.trainable_variables)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
    optimizer.minimize(loss, model.trainable_variables, tape=tape)


print(np.zeros(3))
