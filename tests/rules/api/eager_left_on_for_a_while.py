import tensorflow as tf


def compare(step, batch):
    tf.config.run_functions_eagerly(True)
    eager = step(batch)
    tf.config.run_functions_eagerly(False)
    return eager, step(batch)
