# tensorflow 2: ValueError: Input 0 of layer "lstm" is incompatible with the layer: expected ndim=3, found ndim=2. Full shape received: (32, 100)
import tensorflow as tf

tokens = tf.random.uniform((32, 100), maxval=5000, dtype=tf.int32)
embedding = tf.keras.layers.Embedding(5000, 64)
lstm = tf.keras.layers.LSTM(128)
h = lstm(tf.cast(tokens, tf.float32))  # expect: DP604  # fixed: h = lstm(embedding(tokens))
