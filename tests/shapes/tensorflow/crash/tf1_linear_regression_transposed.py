# tensorflow 1: ValueError: Dimensions must be equal, but are 13 and 506 for 'MatMul'
import numpy as np
import tensorflow as tf
from sklearn.datasets import load_boston

n_dim = 13
features = np.random.rand(506, n_dim)
labels = np.random.rand(506, 1)
learning_rate = 0.01
X = tf.placeholder(tf.float32, [None, n_dim])
Y = tf.placeholder(tf.float32, [None, 1])
W = tf.Variable(tf.ones([1, n_dim]))  # or here  # fixed: W = tf.Variable(tf.ones([n_dim, 1]))
y_ = tf.matmul(X, W)  # expect: DP602
cost = tf.reduce_mean(tf.square(y_ - Y))
training_step = tf.train.GradientDescentOptimizer(learning_rate).minimize(cost)
