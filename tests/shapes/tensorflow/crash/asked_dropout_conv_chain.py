# ValueError: Dimensions must be equal, but are 32 and 64 for 'Conv2D_1'
import tensorflow as tf

weights = {
    'wc1': tf.Variable(tf.random_normal([3, 3, 3, 32])),
    'wc2': tf.Variable(tf.random_normal([3, 3, 64, 64])),  # fixed: 'wc2': tf.Variable(tf.random_normal([3, 3, 32, 64])),
    'wd1': tf.Variable(tf.random_normal([8 * 8 * 64, 256])),
    'out': tf.Variable(tf.random_normal([256, 10])),
}

def conv_net(x, weights, keep_prob):
    conv1 = tf.nn.relu(tf.nn.conv2d(x, weights['wc1'], strides=[1, 1, 1, 1], padding='SAME'))
    pool1 = tf.nn.max_pool(conv1, [1, 2, 2, 1], [1, 2, 2, 1], 'SAME')
    conv2 = tf.nn.relu(tf.nn.conv2d(pool1, weights['wc2'], strides=[1, 1, 1, 1], padding='SAME'))  # expect: DP601 or DP602
    pool2 = tf.nn.max_pool(conv2, [1, 2, 2, 1], [1, 2, 2, 1], 'SAME')
    fc = tf.reshape(pool2, [-1, weights['wd1'].get_shape().as_list()[0]])
    fc = tf.nn.dropout(tf.nn.relu(tf.matmul(fc, weights['wd1'])), keep_prob)
    return tf.matmul(fc, weights['out'])

x = tf.placeholder(tf.float32, [None, 32, 32, 3])
keep = tf.placeholder(tf.float32)
pred = conv_net(x, weights, keep)
