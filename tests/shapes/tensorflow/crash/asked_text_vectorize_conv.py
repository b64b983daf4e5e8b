# ValueError: Input 0 of layer conv2d is incompatible with the layer: expected min_ndim=4, found ndim=3
import tensorflow as tf
inp = tf.keras.Input((200,), dtype='int32')
x = tf.keras.layers.Embedding(5000, 64)(inp)
x = tf.keras.layers.Conv2D(32, 3)(x)  # expect: DP604 # fixed: x = tf.keras.layers.Conv1D(32, 3)(x)
