# ValueError: Dimensions must be equal, but are 64 and 32
import tensorflow as tf
x = tf.keras.Input((10, 64))
a = tf.keras.layers.MultiHeadAttention(num_heads=4, key_dim=16)(x, x)
a = tf.keras.layers.Dense(32)(a)  # fixed: a = tf.keras.layers.Dense(64)(a)
y = tf.keras.layers.LayerNormalization()(x + a)  # expect: DP602
