# tensorflow 1: input b of MatMul has type float32 that does not match float64 of a
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float64, [None, 4])  # fixed: x = tf.placeholder(tf.float32, [None, 4])
w = tf.get_variable("w", [4, 2], initializer=tf.random_normal_initializer())
b = tf.get_variable("b", [2], initializer=tf.zeros_initializer())
y = tf.matmul(x, w) + b  # expect: DP607
