# tensorflow 1: ValueError: Cannot feed value of shape (10000,) for Tensor 'Placeholder_1:0', which has shape '(?, 10)'
import tensorflow as tf
import numpy as np

(x_train, y_train), (x_test, y_test) = tf.keras.datasets.mnist.load_data()
x_train = x_train.reshape(-1, 784)
x_test = x_test.reshape(-1, 784)
#+ y_test = np.eye(10)[y_test]
x = tf.placeholder(tf.float32, [None, 784])
y = tf.placeholder(tf.float32, [None, 10])
W = tf.Variable(tf.zeros([784, 10]))
logits = tf.matmul(x, W)
correct = tf.equal(tf.argmax(logits, 1), tf.argmax(y, 1))
accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))
sess = tf.Session()
print(sess.run(accuracy, feed_dict={x: x_test, y: y_test}))  # expect: DP613
