# tensorflow: each of [N, 6272] has 6272 elements, and [7, 7, 256] cannot hold them
from tensorflow.keras import Sequential
from tensorflow.keras.layers import Dense, Reshape, Conv2DTranspose, BatchNormalization, LeakyReLU
import tensorflow as tf


def make_generator():
    model = Sequential()
    model.add(Dense(7 * 7 * 128, use_bias=False, input_shape=(100,)))  # fixed: model.add(Dense(7 * 7 * 256, use_bias=False, input_shape=(100,)))
    model.add(BatchNormalization())
    model.add(LeakyReLU())
    model.add(Reshape((7, 7, 256)))  # expect: DP603
    model.add(Conv2DTranspose(128, (5, 5), strides=(1, 1), padding='same', use_bias=False))
    model.add(Conv2DTranspose(1, (5, 5), strides=(2, 2), padding='same', activation='tanh'))
    return model


generator = make_generator()
noise = tf.random.normal([1, 100])
img = generator(noise, training=False)
