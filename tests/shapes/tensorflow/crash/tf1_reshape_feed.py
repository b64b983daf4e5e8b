# tensorflow: feed_dict gives [16, 50, 50, 3] to a placeholder of [N, 50, 50, 1]
import numpy as np
import tensorflow as tf

IMG = 50
images = np.random.rand(64, IMG, IMG, 3)
labels = np.eye(2)[np.random.randint(0, 2, 64)]
x = tf.placeholder(tf.float32, [None, IMG, IMG, 1], name='x')  # fixed: x = tf.placeholder(tf.float32, [None, IMG, IMG, 3], name='x')
y = tf.placeholder(tf.float32, [None, 2], name='y')
conv = tf.layers.conv2d(x, 16, 5, activation=tf.nn.relu)
pool = tf.layers.max_pooling2d(conv, 2, 2)
flat = tf.layers.flatten(pool)
logits = tf.layers.dense(flat, 2)
loss = tf.losses.softmax_cross_entropy(y, logits)
step = tf.train.AdamOptimizer().minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(4):
        sess.run(step, {x: images[i * 16:(i + 1) * 16], y: labels[i * 16:(i + 1) * 16]})  # expect: DP613
