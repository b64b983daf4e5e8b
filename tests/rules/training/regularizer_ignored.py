import tensorflow as tf
from tensorflow.keras import layers, regularizers

sequential = tf.keras.Sequential([layers.Dense(8, kernel_regularizer=regularizers.l2(1e-4)), layers.Dense(2)])
plain = tf.keras.Sequential([layers.Dense(8, kernel_regularizer=None), layers.Dense(2)])


def build():
    inputs = tf.keras.Input((8,))
    x = layers.Dense(8, activity_regularizer="l1")(inputs)
    return tf.keras.Model(inputs, layers.Dense(2)(x))


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = layers.Dense(2, bias_regularizer=regularizers.l1(1e-3))

    def call(self, x):
        return self.dense(x)


functional = build()
net = Net()


def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(sequential(x, training=True) - y))
    a = tape.gradient(loss, sequential.trainable_variables)  # expect: DP917
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(functional(x, training=True) - y))
    b = tape.gradient(loss, functional.trainable_weights)  # expect: DP917
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(net(x, training=True) - y))
    c = tape.gradient(loss, net.trainable_variables)  # expect: DP917
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(plain(x, training=True) - y))
    d = tape.gradient(loss, plain.trainable_variables)
    return a, b, c, d
