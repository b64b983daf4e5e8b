# tensorflow 2: InvalidArgumentError: Number of ways to split should evenly divide the split dimension, but got split_dim 2 (size = 512) and num_split 3
import tensorflow as tf

qkv = tf.keras.layers.Dense(512)(tf.random.normal([2, 10, 128]))  # fixed: qkv = tf.keras.layers.Dense(510)(tf.random.normal([2, 10, 128]))
q, k, v = tf.split(qkv, 3, axis=-1)  # expect: DP602 or DP603 or DP611
