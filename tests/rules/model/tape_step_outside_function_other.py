import tensorflow as tf


@tf.function
def fast_step(model, optimizer, x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))


def debug_loop(model: tf.keras.Model, optimizer, batches: tf.data.Dataset):
    for x, y in batches:
        with tf.GradientTape() as tape:  # hint: DP212
            loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
