# tensorflow: matmul of [N, 200] and [100, 10] is invalid: 200 columns meet 100 rows
import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data

mnist = input_data.read_data_sets("MNIST_data/", one_hot=True)
x = tf.placeholder(tf.float32, [None, 784])
W1 = tf.Variable(tf.truncated_normal([784, 200], stddev=0.1))
b1 = tf.Variable(tf.zeros([200]))
W2 = tf.Variable(tf.truncated_normal([100, 10], stddev=0.1))  # fixed: W2 = tf.Variable(tf.truncated_normal([200, 10], stddev=0.1))
b2 = tf.Variable(tf.zeros([10]))
h = tf.nn.relu(tf.matmul(x, W1) + b1)
y = tf.matmul(h, W2) + b2  # expect: DP602
y_ = tf.placeholder(tf.float32, [None, 10])
loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y_, logits=y))
train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
sess = tf.InteractiveSession()
tf.global_variables_initializer().run()
for _ in range(1000):
    bx, by = mnist.train.next_batch(100)
    sess.run(train, feed_dict={x: bx, y_: by})
