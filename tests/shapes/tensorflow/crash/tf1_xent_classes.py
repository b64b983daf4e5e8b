# tensorflow 1: InvalidArgumentError: logits and labels must be broadcastable: logits_size=[128,10] labels_size=[128,2]
import tensorflow as tf

n_input, n_classes = 30, 2
x = tf.placeholder("float", [None, n_input])
y = tf.placeholder("float", [None, n_classes])
weights = {"h1": tf.Variable(tf.random_normal([n_input, 64])), "out": tf.Variable(tf.random_normal([64, 10]))}  # or here  # fixed: weights = {"h1": tf.Variable(tf.random_normal([n_input, 64])), "out": tf.Variable(tf.random_normal([64, n_classes]))}
layer_1 = tf.nn.relu(tf.matmul(x, weights["h1"]))
pred = tf.matmul(layer_1, weights["out"])
cost = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(logits=pred, labels=y))  # expect: DP605
optimizer = tf.train.AdamOptimizer(0.001).minimize(cost)
