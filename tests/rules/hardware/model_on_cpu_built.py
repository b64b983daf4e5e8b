import tensorflow as tf


def built_only():
    with tf.device("/CPU:0"):  # expect: DP505
        model = tf.keras.Sequential([tf.keras.layers.Dense(10)])
    model.compile("adam", "mse")
    return model


def loaded():
    with tf.device("/CPU:0"):
        model = tf.keras.models.load_model("model.h5")
    return model


built_only().fit(tf.zeros((10, 3)), tf.zeros((10, 10)))
