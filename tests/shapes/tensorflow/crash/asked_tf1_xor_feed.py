# ValueError: Cannot feed value of shape (4, 1) for Tensor 'Placeholder_1:0', which has shape '(?, 2)'
import tensorflow as tf

x_data = [[0, 0], [0, 1], [1, 0], [1, 1]]
y_data = [[0], [1], [1], [0]]  # fixed: y_data = [[1, 0], [0, 1], [0, 1], [1, 0]]
x = tf.placeholder(tf.float32, [None, 2])
y = tf.placeholder(tf.float32, [None, 2])
h = tf.layers.dense(x, 4, activation=tf.tanh)
logits = tf.layers.dense(h, 2)
loss = tf.losses.softmax_cross_entropy(y, logits)
step = tf.train.AdamOptimizer(0.1).minimize(loss)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
for i in range(500):
    sess.run(step, feed_dict={x: x_data, y: y_data})  # expect: DP613
