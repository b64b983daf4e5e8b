import tensorflow as tf


def train(dataset, model, optimizer, step, every):
    for x in dataset:
        with tf.summary.record_if(lambda: tf.equal(step % every, 0)):
            tf.summary.histogram("input", x, step=step)
        with tf.GradientTape() as tape:  # hint: DP212
            loss = model(x)
        tf.summary.histogram("output", loss, step=step)  # expect: DP405
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
