# tensorflow 1: dimensions must be equal, but are 728 and 784
import numpy as np
import tensorflow as tf

X = tf.placeholder(tf.float32, shape=[None, 784], name='X')
Z = tf.placeholder(tf.float32, shape=[None, 100], name='Z')


def xavier_init(size):
    return tf.random_normal(shape=size, stddev=1.0 / tf.sqrt(size[0] / 2.0))


D_W1 = tf.Variable(xavier_init([784, 128]))
D_b1 = tf.Variable(tf.zeros(shape=[128]))
D_W2 = tf.Variable(xavier_init([128, 1]))
D_b2 = tf.Variable(tf.zeros(shape=[1]))
G_W1 = tf.Variable(xavier_init([100, 128]))
G_b1 = tf.Variable(tf.zeros(shape=[128]))
G_W2 = tf.Variable(xavier_init([128, 728]))  # fixed: G_W2 = tf.Variable(xavier_init([128, 784]))
G_b2 = tf.Variable(tf.zeros(shape=[784]))


def generator(z):
    G_h1 = tf.nn.relu(tf.matmul(z, G_W1) + G_b1)
    return tf.nn.sigmoid(tf.matmul(G_h1, G_W2) + G_b2)  # expect: DP602


def discriminator(x):
    D_h1 = tf.nn.relu(tf.matmul(x, D_W1) + D_b1)
    return tf.matmul(D_h1, D_W2) + D_b2


fake = discriminator(generator(Z))
real = discriminator(X)
D_loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(logits=real, labels=tf.ones_like(real)))
