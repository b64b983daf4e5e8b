import tensorflow as tf
from tensorflow.contrib import slim  # expect: DP301
from tensorflow.python.ops import math_ops


def fires(dataset, x):
    tf.random.set_seed(1)  # expect: DP301
    tf.random.set_seed(2)
    y = tf.math.log(x)  # expect: DP301
    with tf.Session() as sess:  # expect: DP301
        sess.run(y)
    tf.logging.info("ready")  # expect: DP301
    tf.estimator.Estimator(model_fn=None)  # expect: DP301
    metric = tf.keras.metrics.Mean()
    metric.reset_state()  # expect: DP304
    return dataset.filter(x).batch(3)


def silent(x):
    tf.random.set_seed(1)
    tf.compat.v1.placeholder(tf.float32)
    math_ops.log(x)
    if hasattr(tf, "assign"):
        tf.assign(x, 1)
    try:
        tf.app.run()
    except AttributeError:
        pass
    return tf.math.log(x), tf.io.gfile.exists("x"), slim
