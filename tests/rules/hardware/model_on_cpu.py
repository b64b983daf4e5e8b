import tensorflow as tf


def build():
    model = tf.keras.Sequential([tf.keras.layers.Dense(64), tf.keras.layers.Dense(1)])
    model.compile("adam", "mse")
    return model


def train(model, x, y):
    model.fit(x, y, epochs=10)


def fires(x, y):
    with tf.device("/CPU:0"):  # expect: DP505
        model = build()
        model.fit(x, y, epochs=10)
    with tf.device("cpu"):  # expect: DP505
        build().fit(x, y)
    device = "/device:CPU:0"
    with tf.device(device):  # expect: DP505
        train(build(), x, y)


def silent(x, y, place, slow):
    with tf.device("/GPU:0"):
        build().fit(x, y)
    with tf.device(place):
        build().fit(x, y)
    with tf.device("/cpu:0"):
        table = tf.Variable(tf.zeros((1000, 8)))
        data = tf.data.Dataset.from_tensor_slices((x, y)).batch(8)
    if slow:
        with tf.device("/CPU:0"):
            build().fit(x, y)
    with tf.device("/cpu:0"):
        for i in range(2):
            with tf.device(f"/gpu:{i}"):
                build().fit(x, y)
    return table, data
