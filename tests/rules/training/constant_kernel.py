import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import initializers
from tensorflow.keras.layers import Conv2D, Dense


def fires(x):
    a = Dense(64, activation="relu", kernel_initializer="zeros")  # hint: DP824
    b = Dense(64, activation="tanh", kernel_initializer=initializers.Zeros())  # hint: DP824
    c = Conv2D(64, 3, activation=tf.nn.relu, kernel_initializer="ones")  # hint: DP824
    d = Dense(64, activation="relu", kernel_initializer=tf.zeros_initializer())  # hint: DP824
    e = Dense(64, "elu", kernel_initializer=initializers.Constant(0.1))  # hint: DP824
    return a, b, c, d, e


def silent(x, initializer, values):
    a = Dense(64, activation="relu")
    b = Dense(64, activation="relu", kernel_initializer="he_normal")
    c = Dense(10, activation="softmax", kernel_initializer="zeros")
    d = Dense(10, kernel_initializer="zeros")
    e = Dense(64, activation="relu", bias_initializer="zeros")
    f = Dense(64, activation="relu", kernel_initializer=initializer)
    g = Dense(64, activation="relu", kernel_initializer=initializers.Constant(values))
    h = keras.layers.BatchNormalization(gamma_initializer="zeros")
    i = Dense(1, activation="relu", kernel_initializer="ones")
    j = Dense(1, activation="sigmoid", kernel_initializer="zeros")
    return a, b, c, d, e, f, g, h, i, j
